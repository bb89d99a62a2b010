package import Storage

/// A file system that does what another one does, but for what it says itself.
package protocol WrappedFiles: FileSystem {
    var base: any FileSystem { get }
}

extension WrappedFiles {
    package func createDirectory(_ path: String) throws(StorageError) {
        try base.createDirectory(path)
    }

    package func list(_ path: String) throws(StorageError) -> [String] { try base.list(path) }

    package func isLink(_ path: String) -> Bool { base.isLink(path) }

    package func rename(_ path: String, to newPath: String) throws(StorageError) {
        try base.rename(path, to: newPath)
    }

    package func link(_ path: String, to newPath: String) throws(StorageError) {
        try base.link(path, to: newPath)
    }

    package func remove(_ path: String) throws(StorageError) { try base.remove(path) }

    package func syncDirectory(_ path: String) throws(StorageError) {
        try base.syncDirectory(path)
    }

    package func lock(_ path: String) throws(StorageError) -> (any FileLock)? {
        try base.lock(path)
    }
}

/// The same for a file.
package protocol WrappedFile: File {
    var base: any File { get }
}

extension WrappedFile {
    package func size() throws(StorageError) -> FileSize { try base.size() }

    package func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(StorageError) -> Int {
        try base.read(into: buffer, at: offset)
    }

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
        try base.write(bytes, at: offset)
    }

    package func allocate(_ length: Int) throws(StorageError) { try base.allocate(length) }

    package func truncate(to length: Int) throws(StorageError) { try base.truncate(to: length) }

    package func sync() throws(StorageError) { try base.sync() }
}
