import RealmActors
import Storage
import StorageHarness
import Synchronization
import Testing

/// What a service does to one realm, all at once: writes that succeed, throw and are cancelled,
/// readers that hold versions, upkeep, suspending and reopening.
@Suite struct ServiceLoadTests {
    private struct Refusal: Error {}

    private final class Ledger: Sendable {
        struct State {
            var committed: Set<Int> = []
            var refused: Set<Int> = []
        }

        let state = Mutex(State())

        func commit(_ number: Int) { state.withLock { _ = $0.committed.insert(number) } }

        func refuse(_ number: Int) { state.withLock { _ = $0.refused.insert(number) } }
    }

    @Test func whatWasAcknowledgedIsThereAndNothingElse() async throws {
        let random = SeededGenerator()
        try await withFreshRealm([Mark.self]) { configuration in
            configuration.maximumNumberOfActiveVersions = 8
            configuration.activeVersionPolicy = .wait(upTo: .seconds(3_600))
        } _: { realm in
            let ledger = Ledger()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<400 {
                    group.addTask {
                        try await Self.serve(number, realm, ledger, seed: random.seed)
                    }
                }
                group.addTask {
                    for _ in 0..<10 {
                        try await realm.suspend()
                        await Task.yield()
                        realm.resume()
                    }
                }
                group.addTask { for _ in 0..<10 { try await realm.reopen() } }
                group.addTask { for _ in 0..<3 { try? await realm.compact() } }
                try await group.waitForAll()
            }
            let state = ledger.state.withLock { $0 }
            let numbers = realm.objects(Mark.self).values(of: \.number).sorted()
            #expect(numbers == state.committed.sorted(), "SEED=\(random.seed)")
            #expect(state.committed.isDisjoint(with: state.refused), "SEED=\(random.seed)")
            #expect(realm.activeVersions.count == 1)
            #expect(try await realm.verify().isIntact)
        }
    }

    private static func serve(
        _ number: Int, _ realm: Realm, _ ledger: Ledger, seed: UInt64
    ) async throws {
        var random = SeededGenerator(seed: seed &+ UInt64(number))
        let pause = Int.random(in: 0..<12, using: &random)
        switch number % 4 {
        case 0:
            try await add(number, to: realm)
            ledger.commit(number)
        case 1:
            await #expect(throws: Refusal.self) {
                try await realm.write { tx in
                    try tx.create(Mark.self, value: ["number": number])
                    throw Refusal()
                }
            }
            ledger.refuse(number)
        case 2:
            let writing = Task { try await add(number, to: realm) }
            for _ in 0..<pause { await Task.yield() }
            writing.cancel()
            do {
                try await writing.value
                ledger.commit(number)
            } catch is CancellationError {
                ledger.refuse(number)
            }
        default:
            let snapshot = realm.snapshot(label: "reader \(number)")
            let count = snapshot.objects(Mark.self).count
            for _ in 0..<pause { await Task.yield() }
            #expect(snapshot.objects(Mark.self).count == count)
        }
    }

    private static func add(_ number: Int, to realm: Realm) async throws {
        try await realm.write { tx in
            _ = try tx.create(Mark.self, value: ["number": number])
        }
    }
}
