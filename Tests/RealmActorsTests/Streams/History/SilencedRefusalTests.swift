import Foundation
import RealmActors
import Storage
import StorageHarness
import Synchronization
import Testing

/// Writes that are silenced and then refused.
@Suite struct SilencedRefusalTests {
    @Test func aRefusedSilencedWriteSilencesNoOtherCommit() async throws {
        let disk = SimulatedDisk()
        var configuration = Realm.Configuration(
            path: "/silenced-\(UUID().uuidString).realm", objectTypes: historyTypes)
        configuration.fileSystem = disk
        let realm = try await Realm.open(configuration)
        let stream = realm.objects(HistoryDog.self).changes()
        var changes = stream.makeAsyncIterator()
        _ = try await changes.next()

        let keeper = HeldKeeper()
        disk.resetCalls()
        // The refusal comes when the writer has suspended, not before.
        let gate = keeper.gate
        disk.observe { _ in while gate.isClosing { Thread.sleep(forTimeInterval: 1e-4) } }
        disk.inject(.init(.noSpace, call: 1, isLasting: true))
        let writing = Task { try await keeper.addLongDog(to: realm, silencing: stream.token) }
        while !keeper.gate.isAwaited { await Task.yield() }
        disk.observe(nil)
        disk.resetCalls()
        // The writer has yet to hear of the refusal when the next commit takes its version.
        try await realm.addDog(1)
        try await realm.addDog(2)
        guard case .update(let dogs, _, let insertions, _)? = try await changes.next() else {
            Issue.record("expected a change")
            return
        }
        #expect(dogs.map(\.id) == [1, 2] && insertions == [0, 1])
        keeper.gate.open()
        await #expect(throws: RealmError.self) { try await writing.value }
        try await realm.close()
    }

    @Test("T6: a token of another realm is refused")
    @MainActor func aTokenOfAnotherRealmIsRefused() async throws {
        try await withFreshRealm(historyTypes) { realm in
            try await withFreshRealm(historyTypes) { other in
                let token = other.objects(HistoryDog.self).changes().token
                func refuses(_ write: () async throws -> Void) async {
                    let error = await #expect(throws: RealmError.self) { try await write() }
                    #expect(error?.description.contains("another realm") == true)
                }
                await refuses {
                    try await realm.write(silencing: [token]) { tx in
                        try tx.create(HistoryDog.self, value: ["id": 0])
                    }
                }
                let live = try await realm.live()
                await refuses {
                    try await live.write(silencing: [token]) {
                        _ = try live.create(HistoryDog.self, value: ["id": 0])
                    }
                }
                #expect(realm.objects(HistoryDog.self).isEmpty && !live.isInWriteTransaction)
                try await live.beginWrite()
                try live.create(HistoryDog.self, value: ["id": 1])
                await refuses { try await live.commitWrite(silencing: [token]) }
                // The write is still open, and can be committed without the token.
                try await live.commitWrite()
                #expect(realm.objects(HistoryDog.self).map(\.id) == [1])
            }
        }
    }
}

/// Writes, and gets the outcome only when its gate is opened.
private actor HeldKeeper {
    nonisolated let gate = GateExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { gate.asUnownedSerialExecutor() }

    func addLongDog(to realm: Realm, silencing token: ChangeStreamToken) async throws {
        let live = try await realm.live()
        try await live.write(silencing: [token]) {
            // Longer than the space that is claimed already.
            let name = String(repeating: "x", count: 1 << 20)
            _ = try live.create(HistoryDog.self, value: ["id": 0, "name": name])
            gate.close()
        }
    }
}

/// Runs jobs where they are enqueued, one after another; keeps them while it is closed.
private final class GateExecutor: SerialExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isClosed = false
        var isRunning = false

        /// Whether the caller is to run the jobs.
        mutating func start() -> Bool {
            if isRunning || isClosed { return false }
            isRunning = true
            return true
        }

        mutating func next() -> UnownedJob? {
            isRunning = !isClosed && !jobs.isEmpty
            return isRunning ? jobs.removeFirst() : nil
        }
    }

    private let state = Mutex(State())

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        run { $0.jobs.append(job) }
    }

    /// Whether a job waits for the gate to open.
    var isAwaited: Bool { state.withLock { $0.isClosed && !$0.jobs.isEmpty && !$0.isRunning } }

    /// Whether the job runs that closed the gate.
    var isClosing: Bool { state.withLock { $0.isClosed && $0.isRunning } }

    func close() { state.withLock { $0.isClosed = true } }

    func open() { run { $0.isClosed = false } }

    private func run(after change: (inout sending State) -> Void) {
        let starts = state.withLock { state in
            change(&state)
            return state.start()
        }
        guard starts else { return }
        while let job = state.withLock({ $0.next() }) {
            job.runSynchronously(on: asUnownedSerialExecutor())
        }
    }
}
