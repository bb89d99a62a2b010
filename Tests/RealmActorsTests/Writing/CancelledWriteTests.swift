import Dispatch
import Foundation
import Storage
import StorageHarness
import Testing

@testable import RealmActors

/// Writes whose task is cancelled when they have the turn and wait for the disk: that went
/// unnoticed, and they committed.
@Suite struct CancelledWriteTests {
    private actor Keeper {
        func add(_ number: Int, to realm: Realm) async throws {
            let live = try await realm.live()
            try await live.write { _ = try live.create(Mark.self, value: ["number": number]) }
        }
    }

    @Test func aSilencedWriteThatIsCancelledBeforeItsBodyDoesNotRun() async throws {
        try await cancelBehindASync { realm in
            let token = realm.objects(Mark.self).changes().token
            try await realm.write(silencing: [token]) { tx in
                _ = try tx.create(Mark.self, value: ["number": 2])
            }
        }
    }

    @Test func aLiveWriteThatIsCancelledBeforeItsBodyDoesNotRun() async throws {
        try await cancelBehindASync { realm in try await Keeper().add(2, to: realm) }
    }

    /// Cancels `write` when it has the turn, and the commit before it is on its way to the disk.
    private func cancelBehindASync(
        _ write: @escaping @Sendable (Realm) async throws -> Void
    ) async throws {
        let disk = SimulatedDisk()
        let realm = try await Realm.open(
            disk.configuration([Mark.self], writeTimeout: nil))
        let turns = realm.store.writer.turns
        // One signal lets everybody through, who comes later too.
        let gate = DispatchSemaphore(value: 0)
        disk.observe { call in
            guard call.moment == .before, call.operation == .sync, call.path.hasSuffix(".log")
            else { return }
            gate.wait()
            gate.signal()
        }
        let (ran, running) = AsyncStream<Void>.makeStream()
        let first = Task {
            try await realm.write { tx in
                _ = try tx.create(Mark.self, value: ["number": 1])
                running.finish()
            }
        }
        for await _ in ran {}
        while !turns.tryTake("a test") { await Task.yield() }
        realm.store.releaseTurn()
        let second = Task { try await write(realm) }
        // Until it has the turn.
        while turns.tryTake("a test") {
            realm.store.releaseTurn()
            await Task.yield()
        }
        second.cancel()
        gate.signal()
        await #expect(throws: CancellationError.self) { try await second.value }
        try await first.value
        // The turn was passed on.
        try await realm.write { tx in _ = try tx.create(Mark.self, value: ["number": 3]) }
        #expect(realm.objects(Mark.self).values(of: \.number) == [1, 3])
        try await realm.close()
    }
}
