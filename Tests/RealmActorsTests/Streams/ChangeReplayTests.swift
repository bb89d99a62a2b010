import Foundation
import RealmActors
import StorageHarness
import Testing

/// Applying each change to the elements of before gives the present ones, whatever the query, and
/// however many commits were folded into it.
@Suite struct ChangeReplayTests {
    private struct Watcher {
        var iterator: CollectionChanges<FrozenResults<StreamPet>>.AsyncIterator
        var shown: [Int] = []

        mutating func check() async throws -> Bool {
            switch try await iterator.next() {
            case .initial(let pets)?:
                shown = pets.map { $0.id }
                return true
            case .update(let pets, let deletions, let insertions, _)?:
                let new = pets.map { $0.id }
                var replayed = shown
                for position in deletions.reversed() { replayed.remove(at: position) }
                for position in insertions { replayed.insert(new[position], at: position) }
                shown = new
                return replayed == new
            case nil: return false
            }
        }
    }

    @Test func randomTransactionsReplay() async throws {
        let realm = try await streamRealm()
        var random = SeededGenerator()
        let all = realm.objects(StreamPet.self)
        let queries = [
            all, all.where { $0.age > 5 }, all.sorted(by: \.age),
            all.where { $0.age > 2 }.sorted(by: \.name, ascending: false), all.limit(7),
        ]
        var watchers = queries.map { Watcher(iterator: $0.changes().makeAsyncIterator()) }
        for index in watchers.indices {
            let isRight = try await watchers[index].check()
            #expect(isRight)
        }
        var next = 0
        for step in 0..<300 {
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let seed = random.next()
                let first = next
                next += 3
                try await realm.write { tx in
                    try Self.change(tx, seed: seed, first: first)
                }
            }
            // A new pet that every query shows, so that each stream has a change to report.
            let id = -step - 1
            try await realm.write { tx in
                _ = try tx.create(StreamPet.self, value: ["id": id, "age": 100])
                for pet in tx.objects(StreamPet.self).prefix(7) { pet.age += 1 }
            }
            for index in watchers.indices {
                let isRight = try await watchers[index].check()
                if !isRight {
                    Issue.record("SEED=\(random.seed) step \(step), query \(index)")
                    return
                }
            }
        }
    }

    private static func change(_ tx: WriteTransaction, seed: UInt64, first: Int) throws {
        var random = SeededGenerator(seed: seed)
        for id in first..<first + Int.random(in: 0...3, using: &random) {
            let age = Int.random(in: 0..<10, using: &random)
            _ = try tx.create(StreamPet.self, value: ["id": id, "name": "n\(age % 3)", "age": age])
        }
        for pet in Array(tx.objects(StreamPet.self)) {
            switch Int.random(in: 0..<8, using: &random) {
            case 0: pet.age = Int.random(in: 0..<10, using: &random)
            case 1: pet.name = "n\(Int.random(in: 0..<3, using: &random))"
            case 2 where Int.random(in: 0..<3, using: &random) == 0: try tx.delete(pet)
            default: break
            }
        }
    }
}
