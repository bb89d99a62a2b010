package import Storage

/// A file system whose syncs may be lies: a canary, to show that the harness notices.
package struct LyingFiles: WrappedFiles {
    package struct Lies: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        /// A file's sync does nothing.
        package static let fileSync = Lies(rawValue: 1)
        /// A directory's sync does nothing.
        package static let directorySync = Lies(rawValue: 2)
    }

    package let base: any FileSystem
    private let lies: Lies

    package init(_ base: any FileSystem, _ lies: Lies) {
        self.base = base
        self.lies = lies
    }

    package func open(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File {
        let file = try base.open(path, mode)
        return lies.contains(.fileSync) ? LyingFile(file) : file
    }

    package func syncDirectory(_ path: String) throws(StorageError) {
        if !lies.contains(.directorySync) { try base.syncDirectory(path) }
    }
}

/// A file that says it is synced when it is not.
private final class LyingFile: WrappedFile {
    let base: any File

    init(_ base: any File) { self.base = base }

    func sync() throws(StorageError) {}
}
