import Foundation
import RealmActors
import StorageHarness
import Testing

/// Groups of which nearly every object has one for itself.
@Suite struct ManyGroupsTests {
    /// Most begin with the same eight bytes or more.
    private static func country(_ random: inout SeededGenerator) -> String? {
        switch random.next(below: 8) {
        case 0: nil
        case 1: String(random.next() % 100)
        case 2: "Kingdom \(random.next(below: 3000))"
        default: "Kingdom of the \(random.next(below: 3000))"
        }
    }

    @Test func manyGroupsAreWholeAndInOrder() async throws {
        var random = SeededGenerator()
        try await withFreshRealm([Parish.self]) { realm in
            try await realm.write { tx in
                for id in 0..<6000 {
                    let parish = Parish()
                    (parish.id, parish.country) = (id, Self.country(&random))
                    parish.rank = random.next(below: 9000) - 4500
                    parish.people = random.next(below: 100)
                    try tx.add(parish)
                }
            }
            let parishes = realm.objects(Parish.self)
            let countries = parishes.grouped(by: \.country).aggregates(
                .count, .sum(of: \.people))
            let byCountry = Dictionary(grouping: parishes, by: \.country)
            #expect(countries.count == byCountry.count, "seed \(random.seed)")
            for group in countries {
                let those = byCountry[group.key] ?? []
                #expect(group.value.0 == those.count, "seed \(random.seed)")
                #expect(group.value.1 == those.compactMap(\.people).reduce(0, +))
            }
            let names = countries.map { Array(($0.key ?? "").utf8) }
            #expect(zip(names, names.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) })

            let ranks = parishes.grouped(by: \.rank).sum(of: \.people)
            let byRank = Dictionary(grouping: parishes, by: \.rank)
            #expect(ranks.map(\.key) == byRank.keys.sorted(), "seed \(random.seed)")
            for group in ranks {
                let people = (byRank[group.key] ?? []).compactMap(\.people)
                #expect(group.value == people.reduce(0, +), "seed \(random.seed)")
            }
        }
    }
}
