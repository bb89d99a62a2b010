package import Storage
import Synchronization

/// A file system in memory with room for so many bytes and no more.
package final class LimitedFiles: WrappedFiles {
    package let base: any FileSystem = MemoryFileSystem()
    private let lengths = Mutex<[String: Int]>([:])
    private let limit: Int

    package init(limit: Int) { self.limit = limit }

    /// Bytes in all files.
    package var used: Int { lengths.withLock { $0.values.reduce(0, +) } }

    /// Claims the bytes of `path` up to `length`.
    fileprivate func extend(_ path: String, to length: Int) throws(StorageError) {
        let fits = lengths.withLock { lengths in
            let old = lengths[path] ?? 0
            guard length > old else { return true }
            guard lengths.values.reduce(0, +) - old + length <= limit else { return false }
            lengths[path] = length
            return true
        }
        // ENOSPC
        if !fits { throw .io(operation: .write, path: path, errno: 28) }
    }

    package func open(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File {
        LimitedFile(path, try base.open(path, mode), self)
    }

    package func rename(_ path: String, to newPath: String) throws(StorageError) {
        try base.rename(path, to: newPath)
        lengths.withLock { $0[newPath] = $0.removeValue(forKey: path) }
    }

    package func remove(_ path: String) throws(StorageError) {
        try base.remove(path)
        lengths.withLock { _ = $0.removeValue(forKey: path) }
    }

    package func syncDirectory(_ path: String) throws(StorageError) {}
}

private final class LimitedFile: WrappedFile {
    private let path: String
    let base: any File
    private let files: LimitedFiles

    init(_ path: String, _ base: any File, _ files: LimitedFiles) {
        self.path = path
        self.base = base
        self.files = files
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
        try files.extend(path, to: offset + bytes.count)
        try base.write(bytes, at: offset)
    }

    func allocate(_ length: Int) throws(StorageError) {
        try files.extend(path, to: length)
        try base.allocate(length)
    }

    func sync() throws(StorageError) {}
}
