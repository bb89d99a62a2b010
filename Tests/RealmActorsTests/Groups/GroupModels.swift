import Foundation
import RealmActors
import StorageHarness

enum ParishKind: String, PersistableEnum, CaseIterable {
    case village, town, city
}

final class Parish: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var country: String?
    @Persisted(indexed: true) var rank: Int
    @Persisted var kind: ParishKind = .town
    @Persisted var people: Int?
    @Persisted var area: Double
    @Persisted var heat: Float?
    @Persisted var budget: Decimal128
    @Persisted var founded: Date?
    @Persisted var isOpen: Bool
    @Persisted var any: AnyRealmValue
    @Persisted var capital: Parish?
}

/// Parishs with many equal values, and those that are awkward to compare.
struct ParishMaker {
    var random: SeededGenerator
    private let countries = ["", "a", "a\u{0}", "A", "\u{E9}", "e\u{301}", "Zanzibar and Pemba"]
    private let areas = [0, -0.0, 1.5, -2, .nan, .infinity, 7]

    private mutating func few(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    mutating func fill(_ town: Parish, _ others: [Parish]) {
        town.country = few(5) == 0 ? nil : countries[few(countries.count)]
        town.rank = few(6)
        town.kind = ParishKind.allCases[few(3)]
        town.people = few(4) == 0 ? nil : few(1_000) - 300
        town.area = areas[few(areas.count)]
        town.heat = few(4) == 0 ? nil : Float(few(40))
        town.budget = Decimal128(few(100))
        town.founded = few(4) == 0 ? nil : Date(timeIntervalSinceReferenceDate: Double(few(5)))
        town.isOpen = few(2) == 0
        town.any = few(3) == 0 ? .none : few(2) == 0 ? .int(few(3)) : .string("\(few(3))")
        town.capital = few(4) == 0 ? nil : others.randomElement(using: &random)
    }

    mutating func add(_ ids: Range<Int>, _ tx: WriteTransaction) throws {
        var made: [Parish] = []
        for id in ids {
            let town = Parish()
            town.id = id
            fill(town, made)
            try tx.add(town)
            made.append(town)
        }
    }
}
