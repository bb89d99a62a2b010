import Synchronization
import Testing

@testable import Storage

/// Writes that wait for other hosts, and the events that end the wait.
@Suite struct HostGateTests {
    private static let host = Bits128(low: 1, high: 0)
    private static let other = Bits128(low: 2, high: 0)

    /// Lets a write wait beside a host that appends continuously, until `end` ends the wait.
    private func wait(
        timeout: Duration? = nil, _ end: (HostGate, Task<Void, Never>) async throws -> Void
    ) async throws {
        let gate = HostGate(host: Self.host)
        let hasEnded = Atomic(false)
        let (requests, continuation) = AsyncStream.makeStream(of: Void.self)
        let write = Task {
            // On a slow machine, the wait may end before the test observes it.
            defer { continuation.finish() }
            gate.noteLoss()
            gate.noteLoss()
            await gate.enter(timeout: timeout) { _ in
                continuation.yield()
            } pass: { _ in
                Issue.record("It has no turn to pass on.")
            }
        }
        for await _ in requests { break }
        let entries = Task {
            while !hasEnded.load(ordering: .relaxed) {
                gate.noteEntry(of: Self.other)
                try? await Task.sleep(for: .milliseconds(1))
            }
        }
        try await end(gate, write)
        await write.value
        hasEnded.store(true, ordering: .relaxed)
        await entries.value
    }

    @Test func theTurnEndsAWait() async throws {
        try await wait { gate, _ in
            gate.receive([.pass(from: Self.other, to: Self.host)])
        }
    }

    @Test func cancellationEndsAWait() async throws {
        try await wait { _, write in write.cancel() }
    }

    @Test func closingEndsAWait() async throws {
        try await wait { gate, _ in gate.stop() }
    }

    @Test func aTimeoutEndsAWait() async throws {
        try await wait(timeout: .milliseconds(5)) { _, _ in }
    }

    /// Writes of one host that wait beside another one. Their steps run on the thread of the test,
    /// in the order in which they become due.
    private final class Writes: TaskExecutor {
        let gate = HostGate(host: HostGateTests.host)
        private let steps = Mutex<[UnownedJob]>([])
        private let ended = Mutex<[Int]>([])

        init() { loseLease() }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            steps.withLock { $0.append(job) }
        }

        /// Adds writes, whose first step is due.
        func add(_ numbers: Range<Int>) {
            for number in numbers {
                Task(executorPreference: self) { [self] in
                    await gate.enter(timeout: nil) { _ in
                    } pass: { _ in
                    }
                    ended.withLock { $0.append(number) }
                }
            }
        }

        /// Runs the steps that are due; returns the writes that have ended, in their order.
        func run() -> [Int] {
            while let step = steps.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
                step.runSynchronously(on: asUnownedTaskExecutor())
            }
            return ended.withLock { $0 }
        }

        /// Gets the lease, so that the next step of all waiting writes is due.
        func getLease() {
            gate.receive([.pass(from: HostGateTests.other, to: HostGateTests.host)])
        }

        func loseLease() {
            for _ in 0..<HostRotation.lossesMax { gate.noteLoss() }
        }
    }

    /// Repeats `body` until it returns the order in which writes have ended: nil if a wait has
    /// ended by itself, as on a slow machine.
    private func order(ofWrites body: (Writes) -> [Int]?) throws -> [Int] {
        var order: [Int]?
        for _ in 0..<1000 where order == nil { order = body(Writes()) }
        return try #require(order)
    }

    /// They continued in any order.
    @Test func writesContinueInTheOrderOfTheirArrival() throws {
        let found = try order { writes in
            writes.add(0..<32)
            guard writes.run().isEmpty else { return nil }
            writes.getLease()
            return writes.run()
        }
        #expect(found == Array(0..<32))
    }

    /// It continued after a write that had arrived later.
    @Test func aWriteThatHasToWaitAgainKeepsItsPlace() throws {
        let found = try order { writes in
            writes.add(0..<1)
            guard writes.run().isEmpty else { return nil }
            // Its step comes before the next one of the first write.
            writes.add(1..<2)
            writes.getLease()
            writes.loseLease()
            guard writes.run().isEmpty else { return nil }
            writes.getLease()
            return writes.run()
        }
        #expect(found == [0, 1])
    }
}
