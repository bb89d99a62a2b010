import Foundation

/// A file that replaces an existing one only when it is complete: until then, and after a failure,
/// the existing file is unchanged.
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
        var draft: String?
        let opened: FileHandle?
        if type == nil || type == .typeRegular {
            let name = ".\(target.lastPathComponent).\(ProcessInfo.processInfo.processIdentifier)"
            let url = target.deletingLastPathComponent().appendingPathComponent(name + ".part")
            let permissions = attributes?[.posixPermissions] as? NSNumber
            draft = url.path
            opened = Self.make(url.path, permissions?.uint16Value)
        } else {
            opened = type == .typeDirectory ? nil : FileHandle(forWritingAtPath: target.path)
        }
        guard let handle = opened else {
            throw ToolError(.disk, "The file '\(path)' cannot be written.")
        }
        self.handle = handle
        self.path = target.path
        self.draft = draft
    }

    /// Makes a file that may be read by those who may read the one that it replaces, and never by
    /// others.
    private static func make(_ path: String, _ permissions: UInt16?) -> FileHandle? {
        // A run may have left one; and a link that another user has put there is not followed.
        unlink(path)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
        let file = open(path, flags, permissions == nil ? 0o666 : 0o600)
        guard file >= 0 else { return nil }
        if let permissions { fchmod(file, mode_t(permissions)) }
        return FileHandle(fileDescriptor: file, closeOnDealloc: true)
    }

    /// Puts the file in its place, once the disk has it: a crash leaves the one before or this one.
    func finish() throws {
        do {
            if draft != nil { try handle.synchronize() }
            try handle.close()
        } catch {
            throw ToolError.unwritable(error)
        }
        guard let draft, rename(draft, path) != 0 else { return }
        let reason = String(cString: strerror(errno))
        throw ToolError(.disk, "The file '\(path)' cannot be replaced: \(reason).")
    }

    /// Removes an incomplete file.
    func discard() {
        try? handle.close()
        if let draft { try? FileManager.default.removeItem(atPath: draft) }
    }
}
