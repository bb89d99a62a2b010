import Foundation
import RealmActors
import StorageHarness

final class PastTown: Object, IndexedModel {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted var people: Int?
    @Persisted(indexed: .fullText) var about: String
    @Persisted var country: PastCountry?
    @Persisted var near: List<PastTown>
    @Persisted var tags: MutableSet<String>
    @Persisted var scores: Map<String, Int>
    @Persisted var any: AnyRealmValue
    @Persisted var mayor: PastMayor?
    @Persisted(originProperty: "capital") var ruled: LinkingObjects<PastCountry>

    static var indexes: [Index<PastTown>] { [Index(.ascending(\.people), .descending(\.name))] }
}

final class PastCountry: Object {
    @Persisted var code: String
    @Persisted var capital: PastTown?
    @Persisted(originProperty: "country") var towns: LinkingObjects<PastTown>
}

final class PastMayor: EmbeddedObject {
    @Persisted var name: String
}

let pastTypes: [ObjectBase.Type] = [PastTown.self, PastCountry.self, PastMayor.self]

/// Random transactions on towns and countries.
struct PastChanges {
    var random: SeededGenerator
    private var nextID = 0

    init(_ random: SeededGenerator) { self.random = random }

    private mutating func few(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    private mutating func word() -> String {
        ["red", "Reed", "river", "bridge", "long quiet street", "\u{E9}t\u{E9}"][few(6)]
    }

    mutating func change(_ tx: WriteTransaction) throws {
        switch few(12) {
        case 0: for _ in 0..<few(400) { try create(tx) }
        case 1:
            let limit = few(10)
            try tx.delete(tx.objects(PastTown.self).where { $0.people < limit })
        case 2: try tx.delete(tx.objects(PastCountry.self).where { $0.code == "\(few(4))" })
        default: for _ in 0...few(8) { try step(tx) }
        }
    }

    private mutating func create(_ tx: WriteTransaction) throws {
        nextID += 1
        let town = try tx.create(PastTown.self, value: ["id": nextID, "name": word()])
        town.about = "\(word()) \(word())"
        town.people = few(4) == 0 ? nil : few(40)
        if few(3) == 0 { town.country = tx.objects(PastCountry.self).first }
        if few(3) == 0 { town.tags.insert(word()) }
    }

    private mutating func step(_ tx: WriteTransaction) throws {
        let towns = tx.objects(PastTown.self)
        guard !towns.isEmpty, few(4) > 0 else {
            if few(3) == 0 {
                let country = try tx.create(PastCountry.self, value: ["code": "\(few(4))"])
                country.capital = towns.first
            }
            return try create(tx)
        }
        let town = towns[few(towns.count)]
        let other = towns[few(towns.count)]
        switch few(12) {
        case 0: town.name = word()
        case 1: town.people = few(3) == 0 ? nil : few(40)
        case 2: town.about = "\(word()) \(word())"
        case 3:
            let countries = tx.objects(PastCountry.self)
            town.country = countries.isEmpty ? nil : countries[few(countries.count)]
        case 4: town.near.append(other)
        case 5 where !town.near.isEmpty: town.near.remove(at: few(town.near.count))
        case 6 where town.near.count > 1: town.near.swapAt(0, few(town.near.count))
        case 7 where few(3) == 0: town.tags.remove(word())
        case 7: town.tags.insert(word())
        case 8: town.scores["\(few(4))"] = few(3) == 0 ? nil : few(9)
        case 9: town.any = few(2) == 0 ? .object(other) : .list([.int(few(9)), .string(word())])
        case 10: town.mayor = few(3) == 0 ? nil : try PastMayor(value: ["name": word()])
        default: try tx.delete(town)
        }
    }
}

extension Snapshot {
    /// All that the towns and countries hold, with the numbers of their rows.
    var pastImage: [String] {
        let towns = objects(PastTown.self).map { town -> String in
            let parts: [String] = [
                "\(town.reference)", "\(town.id)", town.name, "\(town.people ?? -1)", town.about,
                "\(town.country.map { $0.reference.row } ?? -1)", "\(town.near.map(\.id))",
                "\(town.tags.sorted())", "\(town.scores.map { "\($0.key)=\($0.value)" }.sorted())",
                "\(town.any)", town.mayor?.name ?? "-",
                "\(town.ruled.map { $0.reference.row }.sorted())",
            ]
            return parts.joined(separator: "|")
        }
        let countries = objects(PastCountry.self).map {
            "\($0.reference)|\($0.code)|\($0.capital?.id ?? -1)|\($0.towns.map(\.id).sorted())"
        }
        return towns + countries
    }

    /// What queries of every kind find, by indexes of every kind.
    func pastAnswers() throws -> [String] {
        let towns = objects(PastTown.self)
        let found: [FrozenResults<PastTown>] = [
            towns.where { $0.name == "river" }, towns.where { $0.name.starts(with: "r") },
            towns.where { $0.about.fullText("bridge -red") },
            try towns.filter("about TEXT '\"quiet street\" ri*'"),
            towns.where { $0.people == 7 }.sorted(by: \.name, ascending: false),
            towns.sorted(by: \.name).limit(9), towns.where { $0.country.code == "1" },
            towns.where { $0.near.name == "Reed" }, towns.where { $0.ruled.count > 0 },
            towns.where { $0.tags.contains("bridge") || $0.scores["1"] > 3 },
        ]
        var answers = found.map { "\($0.map(\.id))" }
        answers.append("\(towns.sum(of: \.people)) \(towns.min(of: \.people) ?? -1)")
        let groups = towns.grouped(by: \.name).aggregates(.count, .max(of: \.people))
        answers.append("\(groups.map { "\($0.key) \($0.value)" }.sorted())")
        let page = try towns.sorted(by: \.people).page(after: nil, limit: 5)
        answers.append("\(page.objects.map(\.id))")
        answers += (0..<5).map { "\(object(PastTown.self, forPrimaryKey: $0 * 7)?.name ?? "-")" }
        return answers
    }
}
