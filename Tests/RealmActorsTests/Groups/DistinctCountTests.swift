import Foundation
import RealmActors
import StorageHarness
import Testing

/// The number of different values, of all objects and of each group of them.
@Suite struct DistinctCountTests {
    /// A count by a loop over the objects.
    private func distinct<Value: Hashable>(
        _ towns: [Frozen<Parish>], _ value: (Frozen<Parish>) -> Value?
    ) -> Int { Set(towns.compactMap(value)).count }

    private func check(_ results: FrozenResults<Parish>, _ seed: UInt64) {
        let towns = Array(results)
        let (countries, ranks, kinds, people, areas, heats) = results.aggregates(
            .distinctCount(of: \.country), .distinctCount(of: \.rank),
            .distinctCount(of: \.kind), .distinctCount(of: \.people),
            .distinctCount(of: \.area), .distinctCount(of: \.heat))
        #expect(countries == distinct(towns) { $0.country.map { Array($0.utf8) } }, "\(seed)")
        #expect(ranks == distinct(towns) { $0.rank }, "\(seed)")
        #expect(kinds == distinct(towns) { $0.kind }, "\(seed)")
        #expect(people == distinct(towns) { $0.people }, "\(seed)")
        #expect(areas == distinct(towns) { $0.area.isNaN ? nil : $0.area }, "\(seed)")
        #expect(heats == distinct(towns) { $0.heat }, "\(seed)")
        let (budgets, founded, open, anys, capitals, linked) = results.aggregates(
            .distinctCount(of: \.budget), .distinctCount(of: \.founded),
            .distinctCount(of: \.isOpen), .distinctCount(of: \.any),
            .distinctCount(of: \Parish.capital?.id), .distinctCount(of: \Parish.capital?.country))
        #expect(budgets == distinct(towns) { $0.budget }, "\(seed)")
        #expect(founded == distinct(towns) { $0.founded }, "\(seed)")
        #expect(open == distinct(towns) { $0.isOpen }, "\(seed)")
        let values = distinct(towns) { town -> String? in
            switch town.any {
            case .int(let number): "int \(number)"
            case .string(let text): "string \(text)"
            default: nil
            }
        }
        #expect(anys == values, "\(seed)")
        #expect(capitals == distinct(towns) { $0.capital?.id }, "\(seed)")
        let names = distinct(towns) { town in
            town.capital?.country.map { Array($0.utf8) }
        }
        #expect(linked == names, "\(seed)")
    }

    @Test("Q6: values of every kind are counted once, without nil and NaN")
    func valuesOfEveryKind() async throws {
        let random = SeededGenerator()
        try await withFreshRealm([Parish.self]) { realm in
            var maker = ParishMaker(random: random)
            try await realm.write { tx in try maker.add(0..<700, tx) }
            let all = realm.objects(Parish.self)
            for results in [
                all, all.where { $0.rank == 3 }, all.where { $0.country == "none" },
                all.sorted(by: \.area).limit(90),
            ] {
                check(results, random.seed)
            }
            let groups = all.grouped(by: \.rank).aggregates(
                .distinctCount(of: \.country), .distinctCount(of: \Parish.capital?.country))
            for group in groups {
                let towns = Array(all.where { $0.rank == group.key })
                let countries = distinct(towns) { $0.country.map { Array($0.utf8) } }
                let capitals = distinct(towns) { town in
                    town.capital?.country.map { Array($0.utf8) }
                }
                #expect(group.value.0 == countries, "\(random.seed)")
                #expect(group.value.1 == capitals, "\(random.seed)")
            }
        }
    }

    /// Texts of which most differ are compared when all of them are known.
    @Test func manyDifferentTextsAreCounted() async throws {
        try await withFreshRealm([Parish.self]) { realm in
            try await realm.write { tx in
                for id in 0..<18_000 {
                    let parish = Parish()
                    parish.id = id
                    parish.rank = id / 2
                    parish.isOpen = id % 2 == 0
                    parish.country =
                        switch id {
                        case ..<16_500: "Realm \(id)"
                        case ..<17_000: "Realm \(id % 90)"
                        case ..<17_500: nil
                        default: ""
                        }
                    try tx.add(parish)
                }
            }
            let parishes = realm.objects(Parish.self)
            let (countries, ranks) = parishes.aggregates(
                .distinctCount(of: \.country), .distinctCount(of: \.rank))
            #expect(countries == 16_501 && ranks == 9000)
            let halves = parishes.grouped(by: \.isOpen).aggregates(
                .count, .distinctCount(of: \.country))
            #expect(halves.map(\.value.1) == [8251, 8251])
        }
    }

    /// The stream keeps the values that it has counted, and drops those that went.
    @Test func valuesThatWentAreCountedNoMore() async throws {
        try await withFreshRealm([Parish.self]) { realm in
            try await realm.write { tx in
                for id in 0..<4 { try tx.create(Parish.self, value: ["id": id]) }
            }
            var stream = realm.objects(Parish.self).grouped(by: \.isOpen)
                .changes(.count, .distinctCount(of: \.country)).makeAsyncIterator()
            #expect(try await stream.next()?.map(\.value.1) == [0])
            for round in 1...60 {
                let different = round % 2 == 0 ? 4 : 2
                try await realm.write { tx in
                    for parish in tx.objects(Parish.self) {
                        parish.country = "\(round) \(parish.id % different)"
                    }
                }
                #expect(try await stream.next()?.map(\.value.1) == [different], "\(round)")
            }
        }
    }
}
