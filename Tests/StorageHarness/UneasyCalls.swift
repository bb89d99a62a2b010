import Storage
import Synchronization

// Safety: parts of the caller's buffers, never longer than they are, used during the call.

/// System calls that signals interrupt and that do less than they were asked to, as the seed says.
package final class UneasyCalls: SystemCalls {
    private let kernel = KernelCalls()
    private let random: Mutex<SeededGenerator>
    private let interruptions = Mutex(0)

    package init(seed: UInt64) { random = Mutex(SeededGenerator(seed: seed)) }

    /// Calls that were interrupted so far.
    package var interruptionCount: Int { interruptions.withLock { $0 } }

    package func read(
        _ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer, _ offset: Int
    ) -> Int {
        if isInterrupted() { return -1 }
        let count = share(of: buffer.count)
        return kernel.read(
            descriptor, UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]), offset)
    }

    package func write(
        _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, _ offset: Int
    ) -> Int {
        if isInterrupted() { return -1 }
        let count = share(of: bytes.count)
        return kernel.write(descriptor, UnsafeRawBufferPointer(rebasing: bytes[..<count]), offset)
    }

    package func sync(_ descriptor: Int32) -> Int32 {
        isInterrupted() ? -1 : kernel.sync(descriptor)
    }

    private func isInterrupted() -> Bool {
        guard random.withLock({ $0.oneIn(3) }) else { return false }
        interruptions.withLock { $0 += 1 }
        Platform.errorNumber = Platform.interrupted
        return true
    }

    /// All of it, or less, but something.
    private func share(of count: Int) -> Int {
        random.withLock { random in
            count > 1 && random.oneIn(2) ? 1 + random.next(below: count) : count
        }
    }
}

extension UneasyCalls {
    /// Works on real files in the folder `root` through such calls, and checks what is there.
    /// Returns how many were interrupted.
    package static func run(seed: UInt64, in root: String) async throws -> Int {
        let calls = UneasyCalls(seed: seed)
        let files = RootedFiles(base: POSIXFileSystem(calls), root: root)
        let store = CrashStore(files, seed: seed)
        try store.open()
        for _ in 0..<30 { try await store.run(store.anyStep()) }
        await store.abandon()
        try await Recovery.check(files, store.oracle, seed: seed)
        return calls.interruptionCount
    }
}

/// A file system whose paths begin at a folder of another.
private struct RootedFiles: FileSystem {
    let base: any FileSystem
    let root: String

    func open(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File {
        try base.open(root + "/" + path, mode)
    }

    func createDirectory(_ path: String) throws(StorageError) {
        try base.createDirectory(root + "/" + path)
    }

    func list(_ path: String) throws(StorageError) -> [String] {
        try base.list(root + "/" + path)
    }

    func rename(_ path: String, to newPath: String) throws(StorageError) {
        try base.rename(root + "/" + path, to: root + "/" + newPath)
    }

    func link(_ path: String, to newPath: String) throws(StorageError) {
        try base.link(root + "/" + path, to: root + "/" + newPath)
    }

    func remove(_ path: String) throws(StorageError) { try base.remove(root + "/" + path) }

    func syncDirectory(_ path: String) throws(StorageError) {
        try base.syncDirectory(root + "/" + path)
    }

    func lock(_ path: String) throws(StorageError) -> (any FileLock)? {
        try base.lock(root + "/" + path)
    }
}
