import Dispatch
import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Requests for the writer lease that end while the lease is being taken for them.
@Suite struct LeaseRequestTests {
    /// How often a request has ended, and its result.
    private final class Outcome: Sendable {
        private let results = Mutex<[Result<Void, StorageError>]>([])
        private let signal = DispatchSemaphore(value: 0)

        func note(_ result: Result<Void, StorageError>) {
            results.withLock { $0.append(result) }
            signal.signal()
        }

        var count: Int { results.withLock { $0.count } }

        /// Waits for the result; nil after a timeout.
        func wait() -> Result<Void, StorageError>? {
            guard signal.wait(timeout: .now() + .seconds(20)) == .success else { return nil }
            return results.withLock { $0.last }
        }
    }

    /// A request that was abandoned while the lease was being taken ended at once. The next one
    /// waited, with the write turn, for a lock of its own process.
    @Test func aRequestThatIsServedIsEndedByItsOutcome() throws {
        try withTemporaryDirectory { root in
            let files = GatedFiles()
            let path = root + "/store.realm"
            let holder = try StoreProcess(files, directory: path)
            try holder.insert(1)
            let process = try StoreProcess(files, directory: path)
            try holder.insert(2)
            try holder.follower.releaseLease()
            let sharing = try process.makeSharing()

            files.close("superblock", .readOnly)
            let outcomes = [Outcome(), Outcome()]
            let first = StoreSharing.Request(outcomes[0].note)
            sharing.acquire(first)
            files.waitUntilReached()
            sharing.cancel(first)
            first.abandon(.busy(process: nil))
            #expect(outcomes[0].count == 0)
            #expect(!sharing.isWriting)
            // No request may be made while another one is served; if one is, it does not wait
            // either.
            sharing.acquire(StoreSharing.Request(outcomes[1].note))
            files.open()
            for outcome in outcomes {
                let result = try #require(outcome.wait())
                #expect(throws: Never.self) { try result.get() }
                #expect(outcome.count == 1)
            }
            #expect(sharing.isWriting)
            #expect(process.numbers == [1, 2])

            sharing.stopAndWait()
            try process.follower.releaseLease()
        }
    }

    /// A request that is abandoned before it is served ends at once, and leaves no lock.
    @Test func aRequestAbandonedBeforeItIsServedLeavesNothing() throws {
        try withTemporaryDirectory { root in
            let files = GatedFiles()
            let path = root + "/store.realm"
            let holder = try StoreProcess(files, directory: path)
            try holder.insert(1)
            let process = try StoreProcess(files, directory: path)
            let sharing = try process.makeSharing()
            let outcome = Outcome()
            let request = StoreSharing.Request(outcome.note)
            sharing.acquire(request)
            sharing.cancel(request)
            request.abandon(.busy(process: nil))
            let result = try #require(outcome.wait())
            #expect(throws: StorageError.self) { try result.get() }
            try holder.follower.releaseLease()
            let lock = try files.lock(path + "/writer.lock")
            #expect(lock != nil)
            withExtendedLifetime(lock) {}
            #expect(!sharing.isWriting)
            #expect(outcome.count == 1)
            sharing.stopAndWait()
        }
    }

    /// A thread that waited for the lock could not be cancelled: it kept its place, and later took
    /// a lock that was not needed, perhaps in a suspended process.
    @Test(arguments: [false, true])
    func aCancelledWaitTakesNoLock(isStopped: Bool) throws {
        try withTemporaryDirectory { root in
            let files = POSIXFileSystem()
            let path = root + "/store.realm"
            let holder = try StoreProcess(files, directory: path)
            try holder.insert(1)
            let process = try StoreProcess(files, directory: path)
            let sharing = try process.makeSharing()
            let outcome = Outcome()
            let request = StoreSharing.Request(outcome.note)
            sharing.acquire(request)
            while try !files.isLocked(path + "/writer.waiting") {
                Platform.pause(for: .milliseconds(1))
            }
            if isStopped {
                sharing.stopAndWait()
            } else {
                sharing.cancel(request)
                request.abandon(.busy(process: nil))
            }
            // The lock that it waited for was not released.
            #expect(try !files.isLocked(path + "/writer.waiting"))
            let result = try #require(outcome.wait())
            #expect(throws: StorageError.self) { try result.get() }
            #expect(outcome.count == 1)
            if !isStopped {
                // The next one waits again.
                let second = Outcome()
                sharing.acquire(StoreSharing.Request(second.note))
                while try !files.isLocked(path + "/writer.waiting") {
                    Platform.pause(for: .milliseconds(1))
                }
                try holder.follower.releaseLease()
                let next = try #require(second.wait())
                #expect(throws: Never.self) { try next.get() }
                #expect(sharing.isWriting && process.numbers == [1])
                sharing.stopAndWait()
                try process.follower.releaseLease()
            }
        }
    }

    /// A file system that calls a closure when a waiting process notifies the holder.
    private struct RingingFiles: WrappedFiles, SharedFileSystem {
        let onRing: @Sendable (String) throws(StorageError) -> Void
        private let files = POSIXFileSystem()

        init(onRing: @escaping @Sendable (String) throws(StorageError) -> Void) {
            self.onRing = onRing
        }

        var base: any FileSystem { files }
        var shared: (any SharedFileSystem)? { self }

        func open(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File {
            try base.open(path, mode)
        }

        func isLocked(_ path: String, orShared: Bool) throws(StorageError) -> Bool {
            try files.isLocked(path, orShared: orShared)
        }

        func notifyWatchers(of path: String) throws(StorageError) { try onRing(path) }

        func lockHolder(_ path: String) -> Int32? { files.lockHolder(path) }
    }

    /// Makes a request that fails; returns which locks of the store are held when it ends.
    private func locksAtTheEnd(of sharing: StoreSharing, _ path: String) throws -> [String] {
        let outcome = Outcome()
        let held = Mutex<[String]>([])
        let request = StoreSharing.Request { result in
            let locked = ["writer.lock", "writer.waiting"].filter { name in
                (try? POSIXFileSystem().isLocked(path + "/" + name)) ?? true
            }
            held.withLock { $0 = locked }
            outcome.note(result)
        }
        sharing.acquire(request)
        let result = try #require(outcome.wait())
        #expect(throws: StorageError.self) { try result.get() }
        return held.withLock { $0 }
    }

    /// A lock that was taken unnecessarily was released only after the request had ended, by a
    /// process that may have been suspended by then.
    @Test func aFailedRequestReleasesItsLock() throws {
        try withTemporaryDirectory { root in
            let files = POSIXFileSystem()
            let path = root + "/store.realm"
            let holder = try StoreProcess(files, directory: path)
            let process = try StoreProcess(files, directory: path)
            let sharing = try process.makeSharing()
            try holder.follower.releaseLease()
            // Simulates a removal of the store.
            try files.rename(path + "/superblock", to: path + "/superblock.removed")
            #expect(try locksAtTheEnd(of: sharing, path) == [])
            #expect(!sharing.isWriting)
            sharing.stopAndWait()
        }
    }

    /// The same for the lock of the first waiter.
    @Test func aRequestThatCannotWaitEndsWithoutItsPlace() throws {
        try withTemporaryDirectory { root in
            let path = root + "/store.realm"
            let holder = try StoreProcess(POSIXFileSystem(), directory: path)
            let silent = RingingFiles { (path) throws(StorageError) in
                throw .io(operation: .write, path: path, errno: Platform.noSpace)
            }
            let process = try StoreProcess(silent, directory: path)
            let sharing = try process.makeSharing()
            #expect(try locksAtTheEnd(of: sharing, path) == ["writer.lock"])
            #expect(!sharing.isWriting)
            sharing.stopAndWait()
            try holder.follower.releaseLease()
        }
    }

    /// A process that had no descriptor left when it was notified of a waiting one kept the lease
    /// while it was idle, and the other one waited in vain.
    @Test func aWaitingProcessRepeatsItsNotification() throws {
        try withTemporaryDirectory { root in
            let rung = DispatchSemaphore(value: 0)
            let files = RingingFiles { (path) throws(StorageError) in
                try POSIXFileSystem().notifyWatchers(of: path)
                rung.signal()
            }
            let store = StoreDirectory(fileSystem: files, path: root)
            let queue = try #require(LockQueue(store))
            let lock = try files.lock(store.lockPath)
            #expect(lock != nil)
            let wait = LockWait(queue)
            let ended = DispatchSemaphore(value: 0)
            Platform.runOnThread {
                _ = try? wait.run()
                ended.signal()
            }
            for _ in 0..<2 {
                #expect(rung.wait(timeout: .now() + .seconds(60)) == .success)
            }
            wait.cancel()
            ended.wait()
            withExtendedLifetime(lock) {}
        }
    }

    /// On a full disk, the first waiting process could not notify the holder: its transaction,
    /// which was to free space, was refused.
    @Test func ringingTakesNoSpace() throws {
        try withTemporaryDirectory { root in
            let files = POSIXFileSystem()
            let store = StoreDirectory(fileSystem: files, path: root)
            let queue = try #require(LockQueue(store))
            try queue.makeRequestFile()
            let before = try files.open(queue.requestPath, .readOnly).size()
            #expect(before.length > 0)
            let place = try queue.tryTakePlace()
            try queue.notifyHolder()
            #expect(try files.open(queue.requestPath, .readOnly).size().length == before.length)
            #expect(place != nil && queue.isAwaited)
            withExtendedLifetime(place) {}
        }
    }
}
