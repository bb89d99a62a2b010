/// A file system whose files other processes can use at the same time: the operating system's.
///
/// On any other, a store belongs to one process, and a second one is refused.
package protocol SharedFileSystem: FileSystem {
    /// Whether a process holds the advisory lock that ``FileSystem/lock(_:)`` takes. With
    /// `orShared`, also whether one holds a shared lock, which other programs may do; two such
    /// queries at the same moment may then see each other.
    func isLocked(_ path: String, orShared: Bool) throws(StorageError) -> Bool

    /// Notifies the processes that watch the file at `path`, which is created if missing.
    func notifyWatchers(of path: String) throws(StorageError)

    /// The process that took the lock last; nil when it did not leave its number.
    func lockHolder(_ path: String) -> Int32?
}

extension SharedFileSystem {
    package func isLocked(_ path: String) throws(StorageError) -> Bool {
        try isLocked(path, orShared: false)
    }
}

extension POSIXFileSystem: SharedFileSystem {
    package var shared: (any SharedFileSystem)? { self }

    package func isLocked(_ path: String, orShared: Bool) throws(StorageError) -> Bool {
        let descriptor = Platform.open(path, .readOnly)
        if descriptor < 0 { return false }
        defer { Platform.closeDescriptor(descriptor) }
        // The query itself takes the lock for a moment.
        let result =
            orShared ? Platform.tryLock(descriptor) : Platform.trySharedLock(descriptor)
        return result != 0 && Platform.errorNumber == Platform.wouldBlock
    }

    package func notifyWatchers(of path: String) throws(StorageError) {
        let file = try open(path, .create)
        let byte = AlignedBuffer(capacity: 8)
        try file.write(
            UnsafeRawBufferPointer(byte.bytes.slice(0..<1)), at: POSIXLock.signatureSize)
    }

    package func lockHolder(_ path: String) -> Int32? {
        guard let file = try? open(path, .readOnly) else { return nil }
        let bytes = AlignedBuffer(capacity: POSIXLock.signatureSize)
        let read = bytes.bytes.slice(0..<POSIXLock.signatureSize)
        guard let count = try? file.read(into: read, at: 0) else { return nil }
        let text = UnsafeRawBufferPointer(read).slice(0..<count).prefix { $0 != 32 }
        return Int32(String(decoding: text, as: UTF8.self))
    }
}
