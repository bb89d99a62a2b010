import Storage
import Synchronization

/// A file opened on a simulated disk; it stops working when the disk crashes.
///
/// That the medium did not store what was written is reported once through each open file, as on
/// Linux: by its next sync, whichever file it was written through.
final class SimulatedFile: File {
    typealias ID = Int

    private let disk: SimulatedDisk
    private let id: ID
    private let path: String
    private let boot: Int
    /// The failures that were reported through this file.
    private let reportedFailures: Atomic<Int>

    init(disk: SimulatedDisk, id: ID, path: String, boot: Int, reportedFailures: Int) {
        self.disk = disk
        self.id = id
        self.path = path
        self.boot = boot
        self.reportedFailures = Atomic(reportedFailures)
    }

    deinit { disk.noteClosed(id, boot: boot) }

    func size() throws(StorageError) -> FileSize {
        try perform(.size) { state, _ in
            let length = state.contents[id]?.bytes.count ?? 0
            return FileSize(length: length, allocated: length)
        }
    }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(StorageError) -> Int {
        let target = SendableBytes(start: buffer.baseAddress, count: buffer.count)
        return try perform(.read) { state, _ in
            state.contents[id]?.bytes.read(into: target, at: offset) ?? 0
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
        // Unsafe: never written through; the caller lends the bytes for this call.
        let source = SendableBytes(
            start: UnsafeMutableRawPointer(mutating: bytes.baseAddress), count: bytes.count)
        try perform(.write) { state, fault throws(StorageError) in
            if fault == .shortWrite {
                let half = SendableBytes(start: source.start, count: source.count / 2)
                state.contents[id]?.write(half, at: offset)
                throw .io(operation: .write, path: path, errno: Platform.noSpace)
            }
            let fitting = state.bytesThatFit(source.count, at: offset, of: id)
            state.contents[id]?.write(
                SendableBytes(start: source.start, count: fitting), at: offset)
            if fitting == source.count { return }
            if fitting == 0 { throw .outOfSpace(path: path) }
            throw .io(operation: .write, path: path, errno: Platform.noSpace)
        }
    }

    func allocate(_ length: Int) throws(StorageError) {
        try perform(.allocate) { state, _ throws(StorageError) in
            let count = length - (state.contents[id]?.bytes.count ?? 0)
            guard state.bytesThatFit(count, at: length - count, of: id) >= count else {
                throw .outOfSpace(path: path)
            }
            state.contents[id]?.extend(to: length)
        }
    }

    func truncate(to length: Int) throws(StorageError) {
        try perform(.truncate) { state, _ in state.contents[id]?.shorten(to: length) }
    }

    func sync() throws(StorageError) {
        try perform(.sync) { state, fault throws(StorageError) in
            if fault == .failedSync { state.contents[id]?.dropDirty() }
            let failures = state.contents[id]?.failureCount ?? 0
            guard reportedFailures.exchange(failures, ordering: .relaxed) == failures else {
                state.contents[id]?.noteReportedFailure()
                throw .io(operation: .sync, path: path, errno: Platform.inputOutput)
            }
            state.contents[id]?.sync()
        }
    }

    private func perform<R: Sendable>(
        _ operation: IOOperation,
        _ body: (inout SimulatedDisk.State, SimulatedDisk.Fault.Kind?) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        try disk.perform(operation, path) { state, fault throws(StorageError) in
            guard state.boot == boot else {
                throw .io(operation: operation, path: path, errno: Platform.inputOutput)
            }
            return try body(&state, fault)
        }
    }
}
