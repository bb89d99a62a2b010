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
        let (asked, continuation) = AsyncStream.makeStream(of: Void.self)
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
        for await _ in asked { break }
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
}
