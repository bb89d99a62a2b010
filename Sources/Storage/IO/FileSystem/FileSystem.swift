/// All that the engine asks of a disk. There are three: `POSIXFileSystem`, `MemoryFileSystem` and
/// the simulated disk of the tests.
///
/// A new name is durable only after `syncDirectory` of the directory that holds it, the contents of
/// a file only after its `sync`. Nothing else may be assumed about the order in which a disk
/// stores what it was given.
package protocol FileSystem: Sendable {
    /// Opens the regular file at `path`; what is not a regular file is `.notARealm`, a missing one
    /// `.fileNotFound` unless `mode` creates it: `.outOfSpace` where there is no space for another.
    func open(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File

    /// Creates the directory; one that is already there is fine. `.outOfSpace` where there is no
    /// space for it.
    func createDirectory(_ path: String) throws(StorageError)

    /// The names in the directory, sorted. `.fileNotFound` when there is no directory.
    func list(_ path: String) throws(StorageError) -> [String]

    /// Whether a symbolic link is at `path`, which leads to what is elsewhere.
    func isLink(_ path: String) -> Bool

    /// Renames a file, replacing what is at `newPath`; or a directory with all that is in it, when
    /// nothing but an empty directory is there.
    func rename(_ path: String, to newPath: String) throws(StorageError)

    /// Gives a file another name as well, at which nothing may be. The two are one file until one
    /// of the names goes. `.io` with a number that ``Platform/cannotLink(_:)`` knows where the file
    /// system has no such names.
    func link(_ path: String, to newPath: String) throws(StorageError)

    /// Removes a file or an empty directory. `.fileNotFound` when there is none.
    func remove(_ path: String) throws(StorageError)

    /// Makes the names in the directory durable.
    func syncDirectory(_ path: String) throws(StorageError)

    /// Takes the advisory lock that the file at `path` stands for, creating the file; nil when
    /// another holder has it. It is held until the returned object goes, or the process ends. Only
    /// who has the lock may remove the file, as the last thing that it does with it: who gets the
    /// lock of a file that was removed tries the one that is at `path` then.
    func lock(_ path: String) throws(StorageError) -> (any FileLock)?

    /// This file system where other processes can use its files at the same time; else nil. A
    /// question and no cast: the first one to a protocol searches every conformance in the program,
    /// while a store is being opened.
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

/// An open file. Offsets and counts are bytes. It is closed when its last reference goes.
package protocol File: AnyObject, Sendable {
    /// Length, and the bytes of disk that the file occupies.
    func size() throws(StorageError) -> FileSize

    /// Reads into the buffer from `offset`; returns less than the buffer's count only at the end
    /// of the file.
    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(StorageError) -> Int

    /// Writes all of `bytes` at `offset`, extending the file when needed. When it throws, any
    /// part of them may have been written, but for `.outOfSpace`: then none was.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError)

    /// Extends the file with zeros to `length` and claims the blocks for them. `.outOfSpace` when
    /// there are none.
    func allocate(_ length: Int) throws(StorageError)

    /// Cuts a longer file to `length`, and gives back the blocks behind it.
    func truncate(to length: Int) throws(StorageError)

    /// Makes what was written durable, and the length. Never called again after it failed: the
    /// operating system may have dropped the pages and would then report success.
    func sync() throws(StorageError)

    /// Begins to store what was written to a part of the file, and waits for it, so that the next
    /// sync finds less to do. Makes nothing durable. A failure is one of the sync to come.
    func writeOut(from start: Int, to end: Int) throws(StorageError)
}

extension File {
    package func writeOut(from start: Int, to end: Int) throws(StorageError) {}
}

extension File {
    /// Bytes that are copied at a time.
    private static var pieceSize: Int { 1 << 20 }

    /// Writes what `source`, which is at `path`, has in a range to the same place here. `pace` is
    /// told how many bytes were written.
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

/// Length of a file and what it occupies on disk, in bytes.
package struct FileSize: Sendable, Hashable {
    package var length: Int
    package var allocated: Int

    package init(length: Int, allocated: Int) {
        self.length = length
        self.allocated = allocated
    }
}

/// A held advisory lock; dropping the last reference releases it.
package protocol FileLock: AnyObject, Sendable {}
