import Foundation
import RealmActors
import StorageHarness
import Testing

/// Change streams beside concurrent writers.
@Suite struct StreamConcurrencyTests {
    private static let end = -1

    @Test func changesReplayExactlyUnderConcurrentWrites() async throws {
        let random = SeededGenerator()
        try await withFreshRealm([Mark.self]) { realm in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask { try await Self.replay(realm, seed: random.seed) }
                }
                // Others come and go meanwhile.
                for _ in 0..<4 {
                    group.addTask {
                        for step in 0..<20 {
                            let watching = Task {
                                for try await _ in realm.objects(Mark.self).changes() {}
                            }
                            for _ in 0..<step { await Task.yield() }
                            watching.cancel()
                            try await watching.value
                        }
                    }
                }
                try await Self.write(realm, random.seed)
                try await realm.write { tx in
                    _ = try tx.create(Mark.self, value: ["number": Self.end])
                }
                try await group.waitForAll()
            }
        }
    }

    /// Four writers insert, change and delete in ranges of their own.
    private static func write(_ realm: Realm, _ seed: UInt64) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    var random = SeededGenerator(seed: seed &+ UInt64(writer))
                    for _ in 0..<120 {
                        let number = writer * 40 + Int.random(in: 0..<40, using: &random)
                        let weight = Int.random(in: 0..<1_000, using: &random)
                        try await realm.write { tx in
                            if let mark = tx.object(Mark.self, forPrimaryKey: number) {
                                if weight % 3 == 0 {
                                    try tx.delete(mark)
                                } else {
                                    mark.weight = weight
                                }
                            } else {
                                try tx.create(
                                    Mark.self, value: ["number": number, "weight": weight])
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Applies every change to the elements of the one before: that gives the collection at hand.
    private static func replay(_ realm: Realm, seed: UInt64) async throws {
        var replica: [[Int]] = []
        for try await change in realm.objects(Mark.self).changes() {
            let present = change.collection.map { [$0.number, $0.weight] }
            if case .update(_, let deletions, let insertions, let modifications) = change {
                let changed = Set(modifications)
                let unchanged = replica.indices.filter { !changed.contains($0) }
                let deleted = Set(deletions)
                #expect(deleted.isDisjoint(with: changed))
                var kept = unchanged.filter { !deleted.contains($0) }.map { replica[$0] }
                let added = Set(insertions).union(change.newModifications)
                kept.reverse()
                replica = present.indices.map { index in
                    added.contains(index) ? present[index] : kept.popLast() ?? []
                }
                #expect(kept.isEmpty, "SEED=\(seed)")
            } else {
                replica = present
            }
            #expect(replica == present, "SEED=\(seed)")
            if present.contains(where: { $0[0] == end }) { return }
        }
        Issue.record("The stream ended before its last element")
    }
}
