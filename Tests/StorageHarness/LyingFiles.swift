package import Storage

/// A file system whose syncs may be lies: a canary, to show that the harness notices.
package struct LyingFiles: FileSystem {
    package struct Lies: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        /// A file's sync does nothing.
        package static let fileSync = Lies(rawValue: 1)
        /// A directory's sync does nothing.
        package static let directorySync = Lies(rawValue: 2)
    }

    private let base: any FileSystem
    private let lies: Lies

    package init(_ base: any FileSystem, _ lies: Lies) {
        self.base = base
        self.lies = lies
    }

    package func open(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File {
        let file = try base.open(path, mode)
        return lies.contains(.fileSync) ? LyingFile(file) : file
    }

    package func createDirectory(_ path: String) throws(StorageError) {
        try base.createDirectory(path)
    }

    package func list(_ path: String) throws(StorageError) -> [String] { try base.list(path) }

    package func rename(_ path: String, to newPath: String) throws(StorageError) {
        try base.rename(path, to: newPath)
    }

    package func remove(_ path: String) throws(StorageError) { try base.remove(path) }

    package func syncDirectory(_ path: String) throws(StorageError) {
        if !lies.contains(.directorySync) { try base.syncDirectory(path) }
    }

    package func lock(_ path: String) throws(StorageError) -> (any FileLock)? {
        try base.lock(path)
    }
}

/// A file that says it is synced when it is not.
private final class LyingFile: File {
    private let base: any File

    init(_ base: any File) { self.base = base }

    func size() throws(StorageError) -> FileSize { try base.size() }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(StorageError) -> Int {
        try base.read(into: buffer, at: offset)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
        try base.write(bytes, at: offset)
    }

    func allocate(_ length: Int) throws(StorageError) { try base.allocate(length) }

    func sync() throws(StorageError) {}
}
