import Foundation

/// A file that takes its place once it is whole: until then, and after a failure, what was there
/// before is as it was.
struct OutputFile {
    let handle: FileHandle
    private let path: String
    /// Where it is written meanwhile; nil for what cannot be replaced, such as a pipe.
    private let draft: String?

    init(at path: String) throws {
        // The file that a link leads to is replaced, not the link.
        let target = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        let attributes = try? FileManager.default.attributesOfItem(atPath: target.path)
        let type = attributes?[.type] as? FileAttributeType
        var written = target
        if type == nil || type == .typeRegular {
            let name = ".\(target.lastPathComponent).\(ProcessInfo.processInfo.processIdentifier)"
            written = target.deletingLastPathComponent().appendingPathComponent(name + ".part")
            _ = FileManager.default.createFile(atPath: written.path, contents: nil)
        }
        guard type != .typeDirectory, let handle = FileHandle(forWritingAtPath: written.path) else {
            throw ToolError(.disk, "The file \(path) cannot be written.")
        }
        self.handle = handle
        self.path = target.path
        draft = written == target ? nil : written.path
    }

    /// Puts the file in its place.
    func finish() throws {
        try handle.close()
        guard let draft, rename(draft, path) != 0 else { return }
        let reason = String(cString: strerror(errno))
        throw ToolError(.disk, "The file \(path) cannot be replaced: \(reason).")
    }

    /// Removes what was written of a file that will not be whole.
    func discard() {
        try? handle.close()
        if let draft { try? FileManager.default.removeItem(atPath: draft) }
    }
}
