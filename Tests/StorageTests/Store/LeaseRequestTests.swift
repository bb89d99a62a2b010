import Dispatch
import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Requests for the writer lease that end while it is being taken for them.
@Suite struct LeaseRequestTests {
    /// How often a request has ended, and how.
    private final class Outcome: Sendable {
        private let results = Mutex<[Result<Void, StorageError>]>([])
        private let signal = DispatchSemaphore(value: 0)

        func note(_ result: Result<Void, StorageError>) {
            results.withLock { $0.append(result) }
            signal.signal()
        }

        var count: Int { results.withLock { $0.count } }

        /// Waits for it; nil when it does not come.
        func wait() -> Result<Void, StorageError>? {
            guard signal.wait(timeout: .now() + .seconds(20)) == .success else { return nil }
            return results.withLock { $0.last }
        }
    }

    /// A request that was given up while the lease was being taken ended at once. The next one
    /// waited, with the write turn, for a lock that its own process had.
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
            // Nobody may ask while another request is served; were it so, it would not wait either.
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

    /// One that is given up before its turn ends at once, and leaves no lock behind.
    @Test func aRequestThatIsGivenUpBeforeItIsServedLeavesNothing() throws {
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

    /// A thread that waited for the lock could not be called back: it kept its place, and took the
    /// lock when nobody wanted it any more, in a process that was suspended perhaps.
    @Test(arguments: [false, true])
    func whoNoLongerWaitsTakesNoLock(isStopped: Bool) throws {
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
            // Nobody has released what it waited for.
            #expect(try !files.isLocked(path + "/writer.waiting"))
            let result = try #require(outcome.wait())
            #expect(throws: StorageError.self) { try result.get() }
            #expect(outcome.count == 1)
            if !isStopped {
                // The next one waits anew.
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

    /// Files in which something else happens when a process that waits rings.
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

        func ring(_ path: String) throws(StorageError) { try onRing(path) }

        func lockHolder(_ path: String) -> Int32? { files.lockHolder(path) }
    }

    /// Makes a request that fails; returns which locks of the store anyone holds when it ends.
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

    /// A lock that was taken in vain was released only after the request had ended, by a process
    /// that was suspended by then, perhaps.
    @Test func aRequestThatTookTheLockInVainEndsWithoutIt() throws {
        try withTemporaryDirectory { root in
            let files = POSIXFileSystem()
            let path = root + "/store.realm"
            let holder = try StoreProcess(files, directory: path)
            let process = try StoreProcess(files, directory: path)
            let sharing = try process.makeSharing()
            try holder.follower.releaseLease()
            // The store is being removed.
            try files.rename(path + "/superblock", to: path + "/superblock.removed")
            #expect(try locksAtTheEnd(of: sharing, path) == [])
            #expect(!sharing.isWriting)
            sharing.stopAndWait()
        }
    }

    /// The same of the place of the first one that waits.
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

    /// A process that had no descriptor left when it was told that another one waits kept the lease
    /// for as long as it was idle, and the other one waited in vain.
    @Test func whoWaitsRingsAgain() throws {
        try withTemporaryDirectory { root in
            let rung = DispatchSemaphore(value: 0)
            let files = RingingFiles { (path) throws(StorageError) in
                try POSIXFileSystem().ring(path)
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

    /// On a full disk a process that was the first to wait could not ring: its transaction, which
    /// was to make space, was refused.
    @Test func ringingTakesNoSpace() throws {
        try withTemporaryDirectory { root in
            let files = POSIXFileSystem()
            let store = StoreDirectory(fileSystem: files, path: root)
            let queue = try #require(LockQueue(store))
            try queue.makeBell()
            let before = try files.open(queue.bell, .readOnly).size()
            #expect(before.length > 0)
            let place = try queue.tryTakePlace()
            try queue.ring()
            #expect(try files.open(queue.bell, .readOnly).size().length == before.length)
            #expect(place != nil && queue.isAwaited)
            withExtendedLifetime(place) {}
        }
    }
}
