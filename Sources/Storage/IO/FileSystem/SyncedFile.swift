import Synchronization

/// A file that several threads write and sync, with one sync at a time.
///
/// The operating system reports a failed writeback once per open file, to the next sync. With two
/// threads, one would receive the error and the other would take its writes for durable. So a
/// failure latches: every later sync throws it.
final class SyncedFile: File {
    private let base: any File
    /// Why a sync has failed.
    private let failure = Mutex<StorageError?>(nil)

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

    func truncate(to length: Int) throws(StorageError) { try base.truncate(to: length) }

    func sync() throws(StorageError) {
        try unlessFailed { () throws(StorageError) in try base.sync() }
    }

    func writeOut(from start: Int, to end: Int) throws(StorageError) {
        try unlessFailed { () throws(StorageError) in try base.writeOut(from: start, to: end) }
    }

    private func unlessFailed(_ store: () throws(StorageError) -> Void) throws(StorageError) {
        try failure.withLock { failure throws(StorageError) in
            if let failure { throw failure }
            do throws(StorageError) {
                try store()
            } catch {
                failure = error
                throw error
            }
        }
    }
}
