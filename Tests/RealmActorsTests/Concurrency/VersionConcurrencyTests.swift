import RealmActors
import Storage
import StorageHarness
import Synchronization
import Testing

private final class Held: Object {
    @Persisted var number: Int
}

/// Versions are counted exactly, whoever holds them.
@Suite struct VersionConcurrencyTests {
    @Test("O9: 10,000 snapshots held and dropped by 8 tasks are counted exactly")
    func tenThousandSnapshots() async throws {
        try await withFreshRealm([Held.self]) { realm in
            let labels = (0..<8).map { "task \($0)" }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for label in labels {
                    group.addTask {
                        var random = SeededGenerator(seed: UInt64(label.utf8.last ?? 0))
                        var held: [Snapshot] = []
                        for number in 0..<1250 {
                            held.append(realm.snapshot(label: label))
                            if held.count > 20 {
                                held.remove(at: Int.random(in: 0..<held.count, using: &random))
                            }
                            if number % 50 == 0 {
                                try await realm.write { tx in _ = try tx.create(Held.self) }
                            }
                            let mine = Set(held.map(\.version))
                            let active = realm.activeVersions
                            #expect(mine.isSubset(of: active.map(\.version)))
                            let named = active.reduce(0) { count, version in
                                count + version.labels.count { $0 == label }
                            }
                            #expect(named == held.count)
                            #expect(active.allSatisfy { $0.holders >= $0.labels.count })
                        }
                    }
                }
                try await group.waitForAll()
            }
            let left = realm.activeVersions
            #expect(left.count == 1 && left[0].holders == 0 && left[0].labels.isEmpty)
            #expect(left[0].version == realm.latestVersion)
        }
    }

    @Test("D9: a waiting write continues as soon as a holder releases its version")
    func recovery() async throws {
        try await withFreshRealm([Held.self]) { configuration in
            configuration.maximumNumberOfActiveVersions = 2
            configuration.activeVersionPolicy = .wait(upTo: .seconds(3600))
        } _: { realm in
            let held = Mutex<[Snapshot]>([])
            for _ in 0..<2 {
                held.withLock { $0.append(realm.snapshot(label: "report")) }
                try await realm.write { tx in _ = try tx.create(Held.self) }
            }
            let isDone = Mutex(false)
            let waiting = Task {
                try await realm.write { tx in _ = try tx.create(Held.self) }
                isDone.withLock { $0 = true }
            }
            for _ in 0..<100 { await Task.yield() }
            #expect(!isDone.withLock { $0 })
            held.withLock { $0.removeAll() }
            try await waiting.value
            #expect(realm.objects(Held.self).count == 3)
        }
    }

    /// Each of the holders that stay keeps its label, whichever of several with the same one goes.
    @Test func labelsAreThoseOfTheHoldersThatStay() async throws {
        try await withFreshRealm([Held.self]) { realm in
            var held = ["a", "b", "a", "c", "b"].map { realm.snapshot(label: $0) }
            #expect(realm.activeVersions.map(\.labels) == [["a", "b", "a", "c", "b"]])
            held.removeLast()
            #expect(realm.activeVersions.map(\.labels) == [["a", "b", "a", "c"]])
            held.removeFirst()
            #expect(realm.activeVersions.flatMap(\.labels).sorted() == ["a", "b", "c"])
            #expect(realm.activeVersions.map(\.holders) == [3])
            held.removeAll()
            #expect(realm.activeVersions.flatMap(\.labels).isEmpty)
        }
    }

    @Test("D9: the error of a refused write names the oldest holders")
    func refusal() async throws {
        try await withFreshRealm([Held.self]) { configuration in
            configuration.maximumNumberOfActiveVersions = 2
        } _: { realm in
            var held: [Snapshot] = []
            for name in ["first", "second"] {
                held.append(realm.snapshot(label: name))
                try await realm.write { tx in _ = try tx.create(Held.self) }
            }
            do {
                try await realm.write { tx in _ = try tx.create(Held.self) }
                Issue.record("the write was admitted")
            } catch RealmError.tooManyActiveVersions(let active, let limit, let holders) {
                #expect(active == 3 && limit == 2)
                #expect(holders[0].contains("first") && holders[1].contains("second"))
            }
            held.removeAll()
            try await realm.write { tx in _ = try tx.create(Held.self) }
        }
    }
}
