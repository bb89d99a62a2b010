import Foundation
import RealmActors
import StorageHarness
import Testing

/// Streams of groups keep what a query of the newest version gives.
@Suite struct GroupStreamTests {
    private func follow<Key: Hashable & Sendable>(
        _ seed: SeededGenerator,
        _ groups: @Sendable (FrozenResults<Parish>) -> GroupedResults<Key, FrozenResults<Parish>>
    ) async throws {
        var random = seed
        try await withFreshRealm([Parish.self]) { realm in
            let start = ParishMaker(random: random)
            try await realm.write { tx in
                var maker = start
                try maker.add(0..<400, tx)
                // In every query, and changed with each commit.
                let first = Parish()
                (first.id, first.rank, first.isOpen, first.people) = (-1, 5, true, -1_000_000)
                try tx.add(first)
            }
            @Sendable func present() -> GroupedResults<Key, FrozenResults<Parish>> {
                groups(realm.objects(Parish.self))
            }
            var stream = present().changes(
                .count, .sum(of: \.people), .average(of: \.area), .min(of: \.people),
                .distinctCount(of: \.country)
            ).makeAsyncIterator()
            for round in 0..<60 {
                if round > 0 {
                    let maker = ParishMaker(random: random)
                    _ = random.next()
                    try await realm.write { tx in
                        var maker = maker
                        // Every few rounds more than is followed row by row.
                        for _ in 0..<(round.isMultiple(of: 9) ? 30 : 1) {
                            try Self.change(tx, round, &maker)
                        }
                        tx.object(Parish.self, forPrimaryKey: -1)?.people = -1_000_000 - round
                    }
                }
                guard let found = try await stream.next() else { break }
                let expected = present().aggregates(
                    .count, .sum(of: \.people), .average(of: \.area), .min(of: \.people),
                    .distinctCount(of: \.country))
                try #require(found.map(\.key) == expected.map(\.key), "\(round) \(seed)")
                for (a, b) in zip(found, expected) {
                    try #require(a.value.0 == b.value.0 && a.value.1 == b.value.1, "\(seed)")
                    try #require(a.value.2?.description == b.value.2?.description, "\(seed)")
                    try #require(a.value.3 == b.value.3 && a.value.4 == b.value.4, "\(seed)")
                }
            }
        }
    }

    private static func change(
        _ tx: WriteTransaction, _ round: Int, _ maker: inout ParishMaker
    ) throws {
        let towns = Array(tx.objects(Parish.self).where { $0.id >= 0 })
        for _ in 0..<Int.random(in: 1...8, using: &maker.random) {
            guard let town = towns.randomElement(using: &maker.random), !town.isInvalidated else {
                continue
            }
            switch Int.random(in: 0..<4, using: &maker.random) {
            case 0: try tx.delete(town)
            case 1: town.people = nil
            default: maker.fill(town, towns.filter { !$0.isInvalidated })
            }
        }
        let next = 400 + round * 100 + Int.random(in: 0..<50, using: &maker.random)
        if tx.object(Parish.self, forPrimaryKey: next) == nil {
            let town = Parish()
            town.id = next
            maker.fill(town, [])
            try tx.add(town)
        }
    }

    @Test func ofAWholeClass() async throws {
        try await follow(SeededGenerator()) { $0.grouped(by: \.country) }
    }

    @Test func ofAFilter() async throws {
        try await follow(SeededGenerator()) { towns in
            towns.where { $0.rank > 2 && $0.isOpen == true }.grouped(by: \.rank)
        }
    }

    @Test func acrossLinks() async throws {
        try await follow(SeededGenerator()) { $0.grouped(by: \.capital?.kind) }
    }

    @Test func ofALimit() async throws {
        try await follow(SeededGenerator()) { towns in
            towns.sorted(by: \.id).limit(70).grouped(by: \.kind)
        }
    }

    /// It delivered that there are none, and never anything else.
    @MainActor @Test("D5: groups of results that were invalidated have no changes")
    func ofResultsThatWereInvalidated() async throws {
        try await withFreshRealm([Parish.self]) { realm in
            let live = try await realm.live()
            let groups = live.objects(Parish.self).grouped(by: \.rank)
            live.invalidate()
            var stream = groups.changes(.count).makeAsyncIterator()
            let error = await #expect(throws: RealmError.self) { try await stream.next() }
            guard case .invalidated = error else {
                Issue.record("expected a refusal, not \(String(describing: error))")
                return
            }
        }
    }

    /// Also where the key is no number, which equals nothing.
    @Test func nothingIsDeliveredWhereNoMeasureChanged() async throws {
        try await withFreshRealm([Parish.self]) { realm in
            try await realm.write { tx in
                let town = Parish()
                (town.people, town.area) = (3, .nan)
                try tx.add(town)
            }
            var stream = realm.objects(Parish.self).grouped(by: \.area).changes(.sum(of: \.people))
                .buffering(.everyVersion(bufferLimit: 10)).makeAsyncIterator()
            #expect(try await stream.next()?.map(\.value) == [3])
            try await realm.write { tx in tx.objects(Parish.self).first?.heat = 9 }
            try await realm.write { tx in tx.objects(Parish.self).first?.people = 4 }
            #expect(try await stream.next()?.map(\.value) == [4])
        }
    }
}
