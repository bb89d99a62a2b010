import Foundation
import RealmActors
import StorageHarness
import Testing

/// Objects in groups, and the aggregates of each.
@Suite struct GroupTests {
    /// A group as a loop over the objects finds it.
    private struct Naive: Equatable {
        var count = 0
        var people = 0
        var average: Double?
        var least: Int?
        var latest: Date?
        var largest: Double?
        var kinds = 0
        var budget = Decimal128()

        init(_ towns: [Frozen<Parish>]) {
            let numbers = towns.compactMap(\.people)
            count = towns.count
            people = numbers.reduce(0, +)
            average = numbers.isEmpty ? nil : Double(people) / Double(numbers.count)
            least = numbers.min()
            latest = towns.compactMap(\.founded).max()
            largest = towns.map(\.area).filter { !$0.isNaN }.max()
            kinds = Set(towns.map(\.kind)).count
            budget = towns.map(\.budget).reduce(Decimal128(), +)
        }
    }

    /// The bytes of texts, what doubles count, and nothing that Swift's equality joins.
    private func exact<Key>(_ key: Key?) -> String {
        switch key {
        case nil: "nil"
        case let text as String: "\(Array(text.utf8))"
        case let number as Double: number == 0 ? "0.0" : "\(number)"
        case .some(let other): "\(other)"
        }
    }

    @Test func whatIsNoNumberIsNoDistinctValue() async throws {
        try await withFreshRealm([Parish.self]) { realm in
            try await realm.write { tx in
                for (id, area) in [1, Double.nan, 2, 1, -Double.nan].enumerated() {
                    try tx.create(Parish.self, value: ["id": id, "area": area])
                }
            }
            let groups = realm.objects(Parish.self).grouped(by: \.isOpen)
            let found = groups.aggregates(.count, .distinctCount(of: \.area))
            #expect(found.map(\.value.0) == [5] && found.map(\.value.1) == [2])
        }
    }

    private func check<Key: Hashable & Sendable, R: QueryableResults<Parish>>(
        _ groups: GroupedResults<Key, R>, _ towns: [Frozen<Parish>],
        _ key: (Frozen<Parish>) -> Key, _ seed: SeededGenerator
    ) {
        let expected = Dictionary(grouping: towns) { exact(key($0)) }.mapValues(Naive.init)
        let found = groups.aggregates(
            .count, .sum(of: \.people), .average(of: \.people), .min(of: \.people),
            .max(of: \.founded), .max(of: \.area), .distinctCount(of: \.kind),
            .sum(of: \.budget))
        #expect(found.count == expected.count, "\(seed)")
        for group in found {
            guard let naive = expected[exact(group.key)] else {
                Issue.record("No town has \(group.key); \(seed)")
                continue
            }
            let (count, people, average, least, latest, largest, kinds, budget) = group.value
            #expect(count == naive.count && people == naive.people, "\(seed)")
            #expect(average == naive.average && least == naive.least, "\(seed)")
            #expect(latest == naive.latest && largest == naive.largest, "\(seed)")
            #expect(kinds == naive.kinds && budget == naive.budget, "\(seed)")
        }
    }

    private func checkAllKeys<R: QueryableResults<Parish>>(
        _ results: R, _ frozen: FrozenResults<Parish>, _ seed: SeededGenerator
    ) {
        let towns = Array(frozen)
        check(results.grouped(by: \.country), towns, \.country, seed)
        check(results.grouped(by: \.rank), towns, \.rank, seed)
        check(results.grouped(by: \.kind), towns, \.kind, seed)
        check(results.grouped(by: \.area), towns, \.area, seed)
        check(results.grouped(by: \.budget), towns, \.budget, seed)
        check(results.grouped(by: \.founded), towns, \.founded, seed)
        check(results.grouped(by: \.isOpen), towns, \.isOpen, seed)
        check(results.grouped(by: \.heat), towns, \.heat, seed)
        check(results.grouped(by: \.capital?.country), towns, { $0.capital?.country }, seed)
        check(
            results.grouped(by: \.capital?.capital?.rank), towns, { $0.capital?.capital?.rank },
            seed)
    }

    @Test func groupsAreWhatALoopOverTheObjectsFinds() async throws {
        let random = SeededGenerator()
        try await withFreshRealm([Parish.self]) { realm in
            var maker = ParishMaker(random: random)
            try await realm.write { tx in try maker.add(0..<700, tx) }
            // Gaps among the rows.
            try await realm.write { tx in
                try tx.delete(tx.objects(Parish.self).where { $0.people < -250 })
            }
            let all = realm.objects(Parish.self)
            for results in [
                all, all.where { $0.rank == 3 }, all.where { $0.people > 100 },
                all.sorted(by: \.area).limit(90), all.where { $0.country == "none" },
                all.distinct(by: \.founded),
            ] {
                checkAllKeys(results, results, random)
            }
        }
    }

    @MainActor @Test func liveRealmsAndTransactionsSeeTheirOwnGroups() async throws {
        let random = SeededGenerator()
        try await withFreshRealm([Parish.self]) { realm in
            var maker = ParishMaker(random: random)
            try await realm.write { tx in try maker.add(0..<300, tx) }
            let former = try await realm.write { tx in
                for town in tx.objects(Parish.self).where({ $0.rank == 1 }) { town.rank = 77 }
                return tx.objects(Parish.self).grouped(by: \.rank).count()
            }
            #expect(former.last?.key == 77)
            #expect(former == realm.objects(Parish.self).grouped(by: \.rank).count())
            let live = try await realm.live()
            let groups = live.objects(Parish.self).grouped(by: \.rank)
            #expect(groups.count() == former && groups.freeze().count() == former)
            try await live.write {
                live.objects(Parish.self).first?.rank = 78
            }
            #expect(groups.count().last?.key == 78)
        }
    }

    @Test func groupsStandInTheOrderOfTheirKeys() async throws {
        try await withFreshRealm([Parish.self]) { realm in
            try await realm.write { tx in
                for (id, country) in ["b", nil, "a", "b"].enumerated() {
                    let town = Parish()
                    (town.id, town.country, town.people) = (id, country, id * 10)
                    try tx.add(town)
                }
            }
            let groups = realm.objects(Parish.self).grouped(by: \.country)
            #expect(groups.count().map(\.key) == [nil, "a", "b"])
            #expect(groups.count().map(\.value) == [1, 1, 2])
            #expect(groups.sum(of: \.people).map(\.value) == [10, 20, 30])
            #expect(groups.average(of: \.people).map(\.value) == [10, 20, 15])
            #expect(groups.min(of: \.people).map(\.value) == [10, 20, 0])
            #expect(groups.max(of: \.people).map(\.value) == [10, 20, 30])
        }
    }

    private func checkPlans<R: QueryableResults<Parish>>(_ towns: R) {
        let sorted = towns.where { $0.rank == 3 }.sorted(by: \.area)
        let plan = sorted.grouped(by: \.country).explain()
        #expect(plan.hasPrefix("query: Parish WHERE rank == 3\naccess: index seek on rank"))
        #expect(plan.hasSuffix("matched 2\ngroups: one pass over the matched objects"))
        #expect(!plan.contains("sort:"))
        // A limit requires the order.
        let few = sorted.limit(1).grouped(by: \.country).explain()
        #expect(few.contains("SORT(area ASC) LIMIT(1)") && few.contains("matched 1\n"))
        #expect(towns.grouped(by: \.country).explain().contains("matched 40\n"))
    }

    /// Groups had no plan to explain, and that of their results has an order that they do not need.
    @MainActor @Test func groupsSayHowTheirObjectsAreFound() async throws {
        try await withFreshRealm([Parish.self]) { realm in
            try await realm.write { tx in
                for id in 0..<40 {
                    try tx.create(Parish.self, value: ["id": id, "rank": id / 2])
                }
                checkPlans(tx.objects(Parish.self))
            }
            checkPlans(realm.objects(Parish.self))
            let live = try await realm.live()
            checkPlans(live.objects(Parish.self))
        }
    }

    @Test func severalMeasuresOfAllObjectsInOnePass() async throws {
        try await withFreshRealm([Parish.self]) { realm in
            let towns = realm.objects(Parish.self)
            let none = towns.aggregates(.count, .sum(of: \.people), .max(of: \.people))
            #expect(none.0 == 0 && none.1 == 0 && none.2 == nil)
            let random = SeededGenerator()
            var maker = ParishMaker(random: random)
            try await realm.write { tx in try maker.add(0..<300, tx) }
            let later = realm.objects(Parish.self)
            let (count, people, greatest, kinds) = later.aggregates(
                .count, .sum(of: \.people), .max(of: \.people), .distinctCount(of: \.kind))
            #expect(count == later.count && people == later.sum(of: \.people))
            #expect(greatest == later.max(of: \.people) && kinds == 3)
            let alone = later.aggregates(.count)
            #expect(alone == 300)
        }
    }
}
