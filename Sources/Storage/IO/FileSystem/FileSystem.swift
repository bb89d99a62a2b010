/// The file operations that the engine uses. Implemented by `POSIXFileSystem`, `MemoryFileSystem`
/// and the simulated disk of the tests.
///
/// A new name is durable only after `syncDirectory` of the directory that holds it, the contents of
/// a file only after its `sync`. Nothing else may be assumed about the order of writes on disk.
package protocol FileSystem: Sendable {
    /// Opens the regular file at `path`; any other file is `.notARealm`, a missing one
    /// `.fileNotFound` unless `mode` creates it; `.outOfSpace` without space for a new file.
    func open(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File

    /// Creates the directory; an existing one is accepted. `.outOfSpace` without space for it.
    func createDirectory(_ path: String) throws(StorageError)

    /// The names in the directory, sorted. `.fileNotFound` when there is no directory.
    func list(_ path: String) throws(StorageError) -> [String]

    /// Whether there is a symbolic link at `path`.
    func isLink(_ path: String) -> Bool

    /// Renames a file, replacing an existing one at `newPath`; or a directory with its contents,
    /// replacing an empty directory.
    func rename(_ path: String, to newPath: String) throws(StorageError)

    /// Creates a hard link to a file, at a path that must not exist. `.io` with a number for which
    /// ``Platform/cannotLink(_:)`` is true if the file system has no hard links.
    func link(_ path: String, to newPath: String) throws(StorageError)

    /// Removes a file or an empty directory. `.fileNotFound` when there is none.
    func remove(_ path: String) throws(StorageError)

    /// Makes the names in the directory durable.
    func syncDirectory(_ path: String) throws(StorageError)

    /// Takes the advisory lock of the file at `path`, creating the file; nil when another holder
    /// has it. It is held until the returned object is deinitialized, or the process ends. Only the
    /// holder may remove the file, as its last step: a process that then gets the lock of the
    /// removed file tries again with the file at `path`.
    func lock(_ path: String) throws(StorageError) -> (any FileLock)?

    /// This file system if other processes can use its files at the same time; else nil. A property
    /// instead of a cast: the first cast to a protocol scans all conformances of the program, which
    /// would slow down opening a store.
    var shared: (any SharedFileSystem)? { get }
}

extension FileSystem {
    package var shared: (any SharedFileSystem)? { nil }

    package func isLink(_ path: String) -> Bool { false }
}

/// How to open a file.
package enum OpenMode: Sendable, Hashable {
    /// For reading; the file must exist.
    case readOnly
    /// For reading and writing; the file must exist.
    case readWrite
    /// For reading and writing; the file is created when missing, and kept when not.
    case create
}

/// An open file. Offsets and counts are in bytes. Releasing the last reference closes it.
package protocol File: AnyObject, Sendable {
    /// Length, and the bytes of disk that the file occupies.
    func size() throws(StorageError) -> FileSize

    /// Reads into the buffer from `offset`; returns less than the buffer's count only at the end
    /// of the file.
    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(StorageError) -> Int

    /// Writes all of `bytes` at `offset`, extending the file when needed. After an error, any part
    /// of them may have been written; after `.outOfSpace`, none was.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError)

    /// Extends the file with zeros to `length` and claims the blocks for them. `.outOfSpace` when
    /// there are none.
    func allocate(_ length: Int) throws(StorageError)

    /// Truncates a longer file to `length`, and frees the blocks after it.
    func truncate(to length: Int) throws(StorageError)

    /// Makes the written bytes and the length durable. Not retried after a failure: the operating
    /// system may have dropped the dirty pages, and would then report success.
    func sync() throws(StorageError)

    /// Writes the dirty pages of a range back and waits for that, so that the next sync has less to
    /// write. Gives no durability. A failure counts as a failure of that sync.
    func writeOut(from start: Int, to end: Int) throws(StorageError)
}

extension File {
    package func writeOut(from start: Int, to end: Int) throws(StorageError) {}
}

extension File {
    /// Bytes that are copied at a time.
    private static var pieceSize: Int { 1 << 20 }

    /// Copies a range of `source`, the file at `path`, to the same range of this file. `pace` is
    /// called with the number of bytes after each write.
    func copy(
        _ range: Range<Int>, of source: any File, at path: String,
        pace: (Int) throws(StorageError) -> Void
    ) throws(StorageError) {
        let buffer = AlignedBuffer(capacity: min(range.count, Self.pieceSize))
        var offset = range.lowerBound
        while offset < range.upperBound {
            let piece = buffer.bytes.slice(0..<min(buffer.bytes.count, range.upperBound - offset))
            guard try source.read(into: piece, at: offset) == piece.count else {
                throw .corrupted(
                    segment: path, offset: offset, reason: "the file ends before its contents do")
            }
            try write(UnsafeRawBufferPointer(piece), at: offset)
            offset += piece.count
            try pace(piece.count)
        }
    }

    /// The bytes in a range, as many as are there.
    func bytes(in range: Range<Int>) throws(StorageError) -> [UInt8] {
        let buffer = AlignedBuffer(capacity: range.count)
        let count = try read(into: buffer.bytes.slice(0..<range.count), at: range.lowerBound)
        return Array(buffer.bytes.slice(0..<count))
    }
}

/// The length and the allocated size of a file, in bytes.
package struct FileSize: Sendable, Hashable {
    package var length: Int
    package var allocated: Int

    package init(length: Int, allocated: Int) {
        self.length = length
        self.allocated = allocated
    }
}

/// An advisory lock that is held; releasing the last reference unlocks it.
package protocol FileLock: AnyObject, Sendable {
    /// Whether its file is still the one at the path that was locked, as far as is known.
    var isInPlace: Bool { get }
    /// Whether its file was removed, or replaced by another one under its name. Less than
    /// ``isInPlace``, which also detects a move, and without the cost of resolving a path.
    var isRemoved: Bool { get }
}

extension FileLock {
    package var isInPlace: Bool { true }
    package var isRemoved: Bool { false }
}
