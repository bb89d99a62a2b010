import Dispatch
import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Processes that share a store whose horizon the disk temporarily cannot read.
@Suite struct UnreadableHorizonTests {
    /// A process that read the horizon at that moment permanently ended its streams, and reported
    /// the failure until it was reopened.
    @Test func aFollowerContinuesWhenTheHorizonIsReadable() throws {
        try withTemporaryDirectory { root in
            let files = FilesWithUnreadableHorizon(POSIXFileSystem())
            let path = root + "/store.realm"
            let writer = try StoreProcess(POSIXFileSystem(), directory: path)
            try writer.insert(0)
            let follower = try StoreProcess(files, directory: path)
            let failures = Atomic<Int>(0)
            let sharing = try follower.makeSharing { _ in
                failures.wrappingAdd(1, ordering: .relaxed)
            }
            files.isUnreadable = true
            sharing.begin()
            try writer.insert(1)
            #expect(soon { files.refusals > 0 })
            files.isUnreadable = false
            // No later write would notify it.
            #expect(soon { follower.numbers == [0, 1] })
            #expect(failures.load(ordering: .relaxed) == 0)

            try writer.follower.releaseLease()
            let hasEnded = DispatchSemaphore(value: 0)
            sharing.acquire(StoreSharing.Request { _ in hasEnded.signal() })
            #expect(hasEnded.wait(timeout: .now() + .seconds(60)) == .success)
            #expect(sharing.isWriting)
            sharing.stopAndWait()
            try follower.insert(2)
            #expect(follower.numbers == [0, 1, 2])
            try follower.follower.releaseLease()
        }
    }

    /// The next writer has the log itself. If it had to switch to a newer checkpoint, it failed
    /// until it was reopened.
    @Test func aNewerCheckpointIsTakenOverWithoutTheHorizon() async throws {
        let disk = SimulatedDisk()
        let files = FilesWithUnreadableHorizon(disk)
        let process = try StoreProcess(files)
        try process.insert(0)
        try process.follower.releaseLease()
        let other = try StoreProcess(disk)
        try other.insert(1)
        try other.engine.checkpoint()
        try other.insert(2)
        await other.close()

        files.isUnreadable = true
        try process.takeOver()
        #expect(files.refusals > 0)
        #expect(process.engine.failure == nil)
        try process.insert(3)
        #expect(process.numbers == [0, 1, 2, 3])
        #expect(try process.problems() == [])
        await process.close()
        let again = try StoreProcess(disk)
        #expect(again.numbers == [0, 1, 2, 3])
        await again.close()
    }
}

/// A file system that can be made unable to read the horizon.
private final class FilesWithUnreadableHorizon: WrappedFiles, SharedFileSystem {
    let base: any FileSystem
    private let state: HorizonReads

    init(_ base: any FileSystem) {
        self.base = base
        state = HorizonReads()
    }

    var isUnreadable: Bool {
        get { state.fail.load(ordering: .relaxed) }
        set { state.fail.store(newValue, ordering: .relaxed) }
    }

    /// How many reads have failed.
    var refusals: Int { state.failed.load(ordering: .relaxed) }

    func open(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File {
        let file = try base.open(path, mode)
        return path.hasSuffix("/horizon") ? UnreadableHorizon(file, path, state) : file
    }

    var shared: (any SharedFileSystem)? { base.shared == nil ? nil : self }

    func isLocked(_ path: String, orShared: Bool) throws(StorageError) -> Bool {
        try base.shared?.isLocked(path, orShared: orShared) ?? false
    }

    func notifyWatchers(of path: String) throws(StorageError) {
        try base.shared?.notifyWatchers(of: path)
    }

    func lockHolder(_ path: String) -> Int32? { base.shared?.lockHolder(path) }
}

private final class HorizonReads: Sendable {
    let fail = Atomic<Bool>(false)
    let failed = Atomic<Int>(0)
}

private final class UnreadableHorizon: WrappedFile {
    let base: any File
    private let path: String
    private let reads: HorizonReads

    init(_ base: any File, _ path: String, _ reads: HorizonReads) {
        self.base = base
        self.path = path
        self.reads = reads
    }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(StorageError) -> Int {
        if reads.fail.load(ordering: .relaxed) {
            reads.failed.wrappingAdd(1, ordering: .relaxed)
            throw .io(operation: .read, path: path, errno: Platform.inputOutput)
        }
        return try base.read(into: buffer, at: offset)
    }
}
