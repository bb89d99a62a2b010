import Foundation
import RealmActors
import StorageHarness

/// A value as the naive evaluator knows it.
enum PlainValue: Equatable, CustomStringConvertible, Sendable {
    case null
    case bool(Bool)
    case int(Int)
    case double(Double)
    case text(String)

    var number: Double? {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    var any: Any? {
        switch self {
        case .null: nil
        case .bool(let value): value
        case .int(let value): value
        case .double(let value): value
        case .text(let value): value
        }
    }

    var description: String { any.map { "\($0)" } ?? "NULL" }
}

/// A row as plain Swift values: properties, links by position, and collections of both.
struct PlainRow {
    var values: [String: PlainValue] = [:]
    var link: [String: Int] = [:]
    var elements: [String: [PlainValue]] = [:]
    var links: [String: [Int]] = [:]
    var entries: [String: [String: Int]] = [:]
    var isDeleted = false
}

/// Ships and sailors as plain Swift values.
struct PlainShips {
    var ships: [PlainRow] = []
    var sailors: [PlainRow] = []

    /// The numbers of the ships that are there and meet `test`.
    func numbers(_ test: (PlainRow) -> Bool) -> [Int] {
        ships.indices.filter { !ships[$0].isDeleted && test(ships[$0]) }
    }

    /// Every value that a path leads to from a ship; null where a link on the way is nil.
    func values(_ path: [String], of row: PlainRow) -> [PlainValue] {
        guard let name = path.first else { return [] }
        let rest = Array(path.dropFirst())
        if let targets = row.links[name] {
            return targets.flatMap { values(rest, of: sailors[$0]) }
        }
        if rest.isEmpty { return row.elements[name] ?? [row.values[name] ?? .null] }
        guard let target = row.link[name] else { return [.null] }
        return values(rest, of: sailors[target])
    }
}

extension SeededGenerator {
    mutating func chance(_ n: Int) -> Bool { Int.random(in: 0..<n, using: &self) == 0 }

    mutating func small() -> Int { Int.random(in: -3...9, using: &self) }

    mutating func real() -> Double {
        if chance(12) {
            return [.nan, .infinity, -.infinity, -0.0].randomElement(using: &self) ?? 0
        }
        return Double(Int.random(in: -8...8, using: &self)) / 2
    }

    mutating func text() -> String {
        let letters = ["a", "b", "A", "\u{E9}", "e\u{301}", "E", "\u{1F436}", "'", "\\", " "]
        return (0..<Int.random(in: 0...4, using: &self)).map { _ in
            letters.randomElement(using: &self) ?? ""
        }.joined()
    }

    /// Random ships and sailors.
    mutating func plainShips() -> PlainShips {
        var plain = PlainShips()
        for index in 0..<30 { plain.sailors.append(plainSailor(index)) }
        for number in 0..<50 {
            plain.ships.append(plainShip(number, sailors: Array(0..<30)))
        }
        return plain
    }

    private mutating func plainSailor(_ index: Int) -> PlainRow {
        var sailor = PlainRow()
        sailor.values = [
            "name": .text(text()), "age": .int(small()),
            "pay": chance(3) ? .null : .double(real()),
        ]
        if index > 0, chance(2) { sailor.link["friend"] = Int.random(in: 0..<index, using: &self) }
        return sailor
    }

    /// A random ship, whose people are among `sailors`.
    mutating func plainShip(_ number: Int, sailors: [Int]) -> PlainRow {
        var ship = PlainRow()
        ship.values = [
            "number": .int(number), "name": .text(text()), "masts": .int(small()),
            "tons": chance(3) ? .null : .int(small()), "speed": .double(real()),
            "fast": .bool(chance(2)), "nickname": chance(3) ? .null : .text(text()),
        ]
        if !chance(4) { ship.link["captain"] = sailors.randomElement(using: &self) }
        // A sailor may stand in the list twice.
        ship.links["crew"] = (0..<Int.random(in: 0...4, using: &self)).compactMap { _ in
            sailors.randomElement(using: &self)
        }
        ship.elements["marks"] = Set((0..<Int.random(in: 0...3, using: &self)).map { _ in small() })
            .map { .int($0) }
        ship.elements["ports"] = (0..<Int.random(in: 0...3, using: &self)).map { _ in
            .text(text())
        }
        ship.elements["draughts"] = (0..<Int.random(in: 0...3, using: &self)).map { _ in
            chance(4) ? .null : .double(real())
        }
        for key in ["tea", "tin"] where chance(2) {
            ship.entries["cargo", default: [:]][key] = small()
        }
        ship.elements["cargo"] = (ship.entries["cargo"] ?? [:]).values.map { .int($0) }
        return ship
    }
}

extension PlainShips {
    /// Creates the same rows as objects.
    func create(in tx: WriteTransaction) throws {
        let people = try sailors.map { row in
            try tx.create(Sailor.self, value: row.values.mapValues(\.any) as [String: Any])
        }
        for (index, row) in sailors.enumerated() {
            people[index].friend = row.link["friend"].map { people[$0] }
        }
        for row in ships { try row.create(in: tx, people) }
    }
}

extension PlainRow {
    /// Creates the same ship as an object.
    func create(in tx: WriteTransaction, _ people: [Sailor]) throws {
        let ship = try tx.create(Ship.self, value: values.mapValues(\.any) as [String: Any])
        try fill(ship, people)
    }

    /// Gives a ship the same links and collections.
    func fill(_ ship: Ship, _ people: [Sailor]) throws {
        ship.captain = link["captain"].map { people[$0] }
        ship.crew.removeAll()
        ship.crew.append(objectsIn: (links["crew"] ?? []).map { people[$0] })
        ship.marks.removeAll()
        for case .int(let mark) in elements["marks"] ?? [] { ship.marks.insert(mark) }
        ship.ports.removeAll()
        for case .text(let port) in elements["ports"] ?? [] { ship.ports.append(port) }
        ship.draughts.removeAll()
        for draught in elements["draughts"] ?? [] {
            if case .double(let value) = draught {
                ship.draughts.append(value)
            } else {
                ship.draughts.append(nil)
            }
        }
        ship.cargo.removeAll()
        for (key, value) in entries["cargo"] ?? [:] { ship.cargo[key] = value }
    }
}
