import RealmActors
import Storage
import Synchronization
import Testing

/// On which threads versions of the past are read.
@Suite struct PastThreadTests {
    /// Keeps threads waiting.
    private final class Gate: Sendable {
        private let isOpenFlag = Atomic<Bool>(false)
        private let semaphore = ThreadSemaphore()

        var isOpen: Bool { isOpenFlag.load(ordering: .acquiring) }

        func wait() { semaphore.wait() }

        func open() {
            isOpenFlag.store(true, ordering: .releasing)
            for _ in 0..<PastThreadTests.waitingCount { semaphore.signal() }
        }
    }

    /// More than there are threads.
    private static let waitingCount = 64

    /// A realm with a version of the past, all of whose reading threads wait for the gate.
    private func withBusyThreads(
        _ body: (Realm, Realm.Version, Gate) async throws -> Void
    ) async throws {
        let keep: (inout Realm.Configuration) -> Void = { $0.history = .keep(bytes: 64 << 20) }
        try await withFreshRealm(historyTypes, keep) { realm in
            try await realm.addDog(1, "Rex")
            let version = realm.latestVersion
            try await realm.addDog(2, "Max")
            let gate = Gate()
            for _ in 0..<Self.waitingCount { ReadingThreads.long.run { gate.wait() } }
            try await body(realm, version, gate)
        }
    }

    /// Each reading had a thread of its own: thousands of requests took more of them than a system
    /// gives a process, and then those of the cooperative pool.
    @Test func readingsOfThePastShareAFewThreads() async throws {
        try await withBusyThreads { realm, version, gate in
            let reading = Task {
                let past = try await realm.snapshot(asOf: version)
                return (past.objects(HistoryDog.self).count, gate.isOpen)
            }
            let cancelled = Task { try await realm.snapshot(asOf: version) }
            // Longer than the reading takes where it need not wait.
            try? await Task.sleep(for: .milliseconds(50))
            cancelled.cancel()
            gate.open()
            let (count, wasOpen) = try await reading.value
            #expect(count == 1 && wasOpen)
            await #expect(throws: CancellationError.self) { _ = try await cancelled.value }
        }
    }

    /// It read the log as it was at the time of the request.
    @Test func aReadingThatWaitedFindsTheRealmClosed() async throws {
        try await withBusyThreads { realm, version, gate in
            let reading = Task { try await realm.snapshot(asOf: version) }
            // So that it waits for a thread by then.
            try? await Task.sleep(for: .milliseconds(50))
            let closing = Task { try await realm.close() }
            let closed = await closing.result
            gate.open()
            try closed.get()
            await #expect(throws: RealmError.closed) { _ = try await reading.value }
        }
    }
}
