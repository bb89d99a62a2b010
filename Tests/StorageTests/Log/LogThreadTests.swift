import Dispatch
import Synchronization
import Testing

@testable import Storage

@Suite struct LogThreadTests {
    @Test func appendsInOrderAndCloses() async throws {
        let disk = MemoryFileSystem()
        let opened = try OpenedLog(disk)
        let thread = LogThread(log: opened.log)
        for version in 1...50 {
            let group = CommitGroupBuffer(capacity: 1024)
            try group.append(TestCommit(UInt64(version), length: version))
            let result = await withCheckedContinuation { continuation in
                thread.submit(group) { result, _ in continuation.resume(returning: result) }
            }
            try result.get()
        }
        let closed = await withCheckedContinuation { continuation in
            thread.close { continuation.resume(returning: $0) }
        }
        try closed.get()
        let again = await withCheckedContinuation { continuation in
            thread.close { continuation.resume(returning: $0) }
        }
        #expect(throws: StorageError.closed(path: "the log")) { try again.get() }
        #expect(try OpenedLog(disk).commits.count == 50)
    }

    /// The limit is below the idle time of the thread, and only ends a failing test.
    @Test func aDroppedThreadEnds() {
        let ended = ThreadSemaphore()
        do {
            let thread = SerialThread(name: "dropped", idleTime: .seconds(3_600)) { jobs in
                Platform.runOnThread {
                    jobs()
                    ended.signal()
                }
            }
            thread.run {}
        }
        #expect(ended.wait(upTo: .seconds(1_200)))
    }

    /// The idle job runs at its deadline, is replaced by a later one, and can be cancelled.
    @Test func anIdleThreadRunsItsJob() async {
        let thread = SerialThread(name: "idle")
        let order = Mutex<[Int]>([])
        await withCheckedContinuation { continuation in
            thread.run {
                thread.runWhenIdle(after: .seconds(Int64.max)) { order.withLock { $0.append(1) } }
                thread.runWhenIdle(after: .zero) {
                    order.withLock { $0.append(3) }
                    continuation.resume()
                }
                thread.run { order.withLock { $0.append(2) } }
            }
        }
        #expect(order.withLock { $0 } == [2, 3])
        await withCheckedContinuation { continuation in
            thread.run {
                thread.runWhenIdle(after: .zero) { order.withLock { $0.append(4) } }
                thread.cancelIdleJob()
                thread.run { thread.run { continuation.resume() } }
            }
        }
        #expect(order.withLock { $0 } == [2, 3])
        thread.stopAndWait()
    }

    /// A process that polls the log postponed its idle job with each poll, so that it never ran.
    @Test func anIdleJobCanBeKept() async {
        let thread = SerialThread(name: "kept")
        let order = Mutex<[Int]>([])
        await withCheckedContinuation { continuation in
            thread.run {
                thread.runWhenIdle(after: .zero, keepingPrevious: true) {
                    order.withLock { $0.append(1) }
                    continuation.resume()
                }
                thread.runWhenIdle(after: .zero, keepingPrevious: true) {
                    order.withLock { $0.append(2) }
                }
            }
        }
        #expect(order.withLock { $0 } == [1])
        thread.stopAndWait()
    }

    /// Never ends if a job that arrives at the deadline of the idle job cancels it. On a thread of
    /// its own, so that no round waits for the cooperative pool.
    @Test func anIdleJobOutlivesAJobThatComesWhenItIsDue() async {
        await withCheckedContinuation { continuation in
            let isMade = Platform.runOnThread {
                let thread = SerialThread(name: "busy")
                let ran = DispatchSemaphore(value: 0)
                for round in 0..<1000 {
                    thread.run { thread.runWhenIdle(after: .microseconds(50)) { ran.signal() } }
                    let end = ContinuousClock.now + .microseconds(50 + round % 100)
                    while ContinuousClock.now < end {}
                    thread.run {}
                    ran.wait()
                }
                thread.stopAndWait()
                continuation.resume()
            }
            #expect(isMade)
        }
    }

    /// Owns a thread, as an engine does.
    private final class Owner: Sendable {
        let thread = SerialThread(name: "owned")
        private let released: ThreadSemaphore

        init(_ released: ThreadSemaphore) { self.released = released }

        deinit { released.signal() }
    }

    /// If the thread was stopped before the deadline of an idle job, the job was retained forever
    /// with what it uses, the owner of the thread: an engine with all of its nodes.
    ///
    /// The limit only ends a failing test.
    @Test func aStoppedThreadForgetsItsIdleJob() {
        let released = ThreadSemaphore()
        do {
            let owner = Owner(released)
            let isSet = ThreadSemaphore()
            owner.thread.run {
                owner.thread.runWhenIdle(after: .seconds(3_600)) {
                    withExtendedLifetime(owner) {}
                }
                isSet.signal()
            }
            isSet.wait()
            owner.thread.stopAndWait()
        }
        #expect(released.wait(upTo: .seconds(1_200)))
    }

    @Test func aRecordThatThrowsIsNotInTheGroup() throws {
        let group = CommitGroupBuffer(capacity: 1024)
        try group.append(TestCommit(1, length: 5000))
        #expect(throws: StorageError.invalid("no")) {
            try group.append(version: Version(2)) { writer throws(StorageError) in
                writer.writeVarint(300)
                throw .invalid("no")
            }
        }
        #expect(group.recordCount == 1 && group.lastVersion == Version(1))
        var records = GroupRecords(UnsafeRawBufferPointer(group.payload))
        #expect(try records.next().map { TestCommit($0) } == TestCommit(1, length: 5000))
        #expect(try records.next() == nil)
    }
}
