import Foundation
import RealmActors
import StorageHarness
import Testing

/// Groups by keys that are different for nearly every object.
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

    /// Where nearly every object has a group of its own, equal texts are found when groups are put
    /// in order.
    @Test func equalTextsAmongManyGroupsAreOneGroup() async throws {
        var random = SeededGenerator()
        try await withFreshRealm([Parish.self]) { realm in
            let long = String(repeating: "Kingdom ", count: 12)
            try await realm.write { tx in
                for id in 0..<18_000 {
                    let parish = Parish()
                    parish.id = id
                    parish.country =
                        switch id {
                        case ..<16_500: "Realm \(id)"
                        case ..<17_000: "Realm \(random.next(below: 18_000))"
                        case ..<17_200: nil
                        case ..<17_400: ""
                        case ..<17_700: long + String(random.next(below: 3))
                        default: "Realm of \(random.next(below: 200))"
                        }
                    parish.people = random.next(below: 5) == 0 ? nil : random.next(below: 100)
                    try tx.add(parish)
                }
            }
            let parishes = realm.objects(Parish.self)
            let byCountry = Dictionary(grouping: parishes.map { ($0.country, $0.people) }, by: \.0)
            let names = byCountry.keys.sorted {
                guard let a = $0, let b = $1 else { return $0 == nil && $1 != nil }
                return a.utf8.lexicographicallyPrecedes(b.utf8)
            }
            let counts = parishes.grouped(by: \.country).count()
            #expect(counts.map(\.key) == names, "seed \(random.seed)")
            #expect(counts.map(\.value) == names.map { byCountry[$0]?.count })
            let sums = parishes.grouped(by: \.country).aggregates(.count, .sum(of: \.people))
            #expect(sums.map(\.value.0) == counts.map(\.value), "seed \(random.seed)")
            #expect(
                sums.map(\.value.1)
                    == names.map { (byCountry[$0] ?? []).compactMap(\.1).reduce(0, +) })
        }
    }
}
