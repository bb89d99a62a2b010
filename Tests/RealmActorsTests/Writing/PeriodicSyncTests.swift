import Synchronization
import Testing

@testable import RealmActors
@testable import Storage

private final class Tick: Object {
    @Persisted var number: Int
}

/// The syncs of a relaxed store, on a disk that takes longer than their interval.
@Suite struct PeriodicSyncTests {
    private final class SlowDisk: Sendable {
        struct State {
            var count = 0
            var waiting: [PeriodicSync.Completion] = []
        }
        let state = Mutex(State())

        func begin(_ completion: @escaping PeriodicSync.Completion) {
            state.withLock { state in
                state.count += 1
                state.waiting.append(completion)
            }
        }

        /// Ends the sync that is under way.
        func finish() { state.withLock { $0.waiting.popLast() }?() }
    }

    /// Each interval asked for one more, however many waited for the disk.
    @Test func aSyncThatTakesLongHasNoneBehindIt() async throws {
        let disk = SlowDisk()
        let ticks = PeriodicSync(interval: .milliseconds(1)) { completion in
            disk.begin(completion)
            return true
        }
        let task = Task { await ticks.run() }
        for round in 1...3 {
            #expect(await soon { disk.state.withLock { $0.count } == round })
            // Many intervals.
            try await Task.sleep(for: .milliseconds(30))
            #expect(disk.state.withLock { $0.waiting.count } == 1)
            if round == 3 { task.cancel() }
            disk.finish()
        }
        await task.value
        #expect(disk.state.withLock { $0.count } == 3)
    }

    @Test func aStoreThatIsGoneEndsThem() async {
        let count = Mutex(0)
        let ticks = PeriodicSync(interval: .milliseconds(1)) { _ in
            count.withLock { $0 += 1 }
            return false
        }
        #expect(await comesToAnEnd { await ticks.run() })
        #expect(count.withLock { $0 } == 1)
    }

    /// Nobody has to close it.
    @Test func aRelaxedStoreIsSyncedAndGoesWithItsLastHandle() async throws {
        try await withSyncedRealm { _ in }
    }

    /// Every interval took the store's thread, which never ended: a service with a thousand relaxed
    /// stores had as many, all of them busy.
    @Test func aStoreThatNobodyWritesIsNotSynced() async throws {
        try await withSyncedRealm { realm in
            let before = realm.statistics.syncs
            for _ in 0..<100 { try await Task.sleep(for: .milliseconds(1)) }
            // The one that was under way.
            #expect(realm.statistics.syncs <= before + 1)
        }
    }

    /// Runs `body` with a relaxed realm that was written and has synced that by itself.
    private func withSyncedRealm(_ body: (Realm) async throws -> Void) async throws {
        try await withStorePath { path in
            let realm = try await Realm.open(
                .init(
                    path: path, objectTypes: [Tick.self],
                    durability: .relaxed(every: .milliseconds(1)), writeTimeout: nil))
            try await realm.write { tx in _ = try tx.create(Tick.self) }
            let engine = realm.store.engine
            #expect(await soon { engine.isSynced })
            try await body(realm)
            try await realm.close()
        }
    }
}
