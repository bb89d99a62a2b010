import Foundation
import RealmActors
import StorageHarness

/// Few rows that many link to.
final class TramLine: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var color: String
}

/// About as many rows as link to them.
final class TramDepot: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted(indexed: true) var name: String
    @Persisted var room: Int?
    @Persisted var line: TramLine?
}

final class Tram: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted(indexed: true) var age: Int
    @Persisted(indexed: true) var nickname: String?
    @Persisted var seats: Int
    @Persisted var line: TramLine?
    @Persisted var depot: TramDepot?
    @Persisted var stops: List<TramLine>
}

/// The same rows as plain Swift values, by their numbers.
struct PlainTrams {
    struct Line { var color: String }
    struct Depot {
        var name: String
        var room: Int?
        var line: Int?
    }
    struct Tram {
        var age: Int
        var nickname: String?
        var seats: Int
        var line: Int?
        var depot: Int?
        var stops: [Int]
    }

    var lines: [Int: Line] = [:]
    var depots: [Int: Depot] = [:]
    var trams: [Int: Tram] = [:]
    private var nextTram = 0

    static let types: [ObjectBase.Type] = [
        RealmActorsTests.Tram.self, TramDepot.self, TramLine.self,
    ]

    func line(_ tram: Tram) -> Line? { tram.line.flatMap { lines[$0] } }
    func depot(_ tram: Tram) -> Depot? { tram.depot.flatMap { depots[$0] } }
    func lineOfDepot(_ tram: Tram) -> Line? {
        depot(tram).flatMap { $0.line.flatMap { lines[$0] } }
    }
    func stops(_ tram: Tram) -> [Line] { tram.stops.compactMap { lines[$0] } }

    /// The numbers of the trams for which `test` holds, in the order of their creation.
    func numbers(_ test: (Tram) -> Bool) -> [Int] {
        trams.filter { test($0.value) }.map(\.key).sorted()
    }
}

extension PlainTrams {
    /// Random lines, depots and trams, in `tx` as here.
    mutating func create(
        trams: Int, depots: Int, lines: Int, _ tx: WriteTransaction,
        _ random: inout SeededGenerator
    ) throws {
        for number in 0..<lines {
            self.lines[number] = Line(color: random.color())
            try tx.create(
                TramLine.self,
                value: ["number": number, "color": self.lines[number]?.color ?? ""])
        }
        for number in 0..<depots {
            let depot = Depot(
                name: random.name(), room: random.chance(4) ? nil : random.small(),
                line: random.chance(4) ? nil : Int.random(in: 0..<lines, using: &random))
            self.depots[number] = depot
            let object = try tx.create(
                TramDepot.self,
                value: ["number": number, "name": depot.name, "room": depot.room as Any])
            object.line = tx.line(depot.line)
        }
        for _ in 0..<trams { try add(tx, &random) }
    }

    /// One more tram, with random links to what there is.
    mutating func add(_ tx: WriteTransaction, _ random: inout SeededGenerator) throws {
        let tram = Tram(
            age: Int.random(in: 0..<400, using: &random),
            nickname: random.chance(3) ? nil : random.name(), seats: random.small(),
            line: random.chance(5) ? nil : lines.keys.sorted().randomElement(using: &random),
            depot: random.chance(5) ? nil : depots.keys.sorted().randomElement(using: &random),
            stops: (0..<Int.random(in: 0...3, using: &random)).compactMap { _ in
                lines.keys.sorted().randomElement(using: &random)
            })
        let object = try tx.create(
            RealmActorsTests.Tram.self,
            value: [
                "number": nextTram, "age": tram.age, "nickname": tram.nickname as Any,
                "seats": tram.seats,
            ])
        object.line = tx.line(tram.line)
        object.depot = tx.depot(tram.depot)
        object.stops.append(objectsIn: tram.stops.compactMap { tx.line($0) })
        trams[nextTram] = tram
        nextTram += 1
    }

    /// Random changes of every kind, in `tx` as here: new rows, other values, other links, and
    /// deletions at both ends of links.
    mutating func change(
        _ count: Int, _ tx: WriteTransaction, _ random: inout SeededGenerator
    ) throws {
        for _ in 0..<count {
            guard let number = trams.keys.sorted().randomElement(using: &random),
                let object = tx.object(RealmActorsTests.Tram.self, forPrimaryKey: number)
            else { continue }
            switch Int.random(in: 0..<10, using: &random) {
            case 0, 1: try add(tx, &random)
            case 2:
                try tx.delete(object)
                trams[number] = nil
            case 3:
                trams[number]?.age = Int.random(in: 0..<400, using: &random)
                object.age = trams[number]?.age ?? 0
            case 4:
                trams[number]?.nickname = random.chance(3) ? nil : random.name()
                object.nickname = trams[number]?.nickname
            case 5:
                trams[number]?.line =
                    random.chance(3) ? nil : lines.keys.sorted().randomElement(using: &random)
                object.line = tx.line(trams[number]?.line)
            case 6:
                trams[number]?.depot = depots.keys.sorted().randomElement(using: &random)
                object.depot = tx.depot(trams[number]?.depot)
            case 7: try changeDepot(tx, &random)
            case 8 where random.chance(8):
                guard lines.count > 2, let deleted = lines.keys.sorted().first,
                    let line = tx.line(deleted)
                else { break }
                try tx.delete(line)
                lines[deleted] = nil
            default:
                guard let stop = lines.keys.sorted().randomElement(using: &random),
                    let line = tx.line(stop)
                else { break }
                trams[number]?.stops.append(stop)
                object.stops.append(line)
            }
        }
    }

    private mutating func changeDepot(
        _ tx: WriteTransaction, _ random: inout SeededGenerator
    ) throws {
        guard let number = depots.keys.sorted().randomElement(using: &random),
            let depot = tx.depot(number)
        else { return }
        if random.chance(2) {
            try tx.delete(depot)
            depots[number] = nil
        } else {
            depots[number]?.name = random.name()
            depot.name = depots[number]?.name ?? ""
        }
    }
}

extension WriteTransaction {
    fileprivate func line(_ number: Int?) -> TramLine? {
        number.flatMap { object(TramLine.self, forPrimaryKey: $0) }
    }
    fileprivate func depot(_ number: Int?) -> TramDepot? {
        number.flatMap { object(TramDepot.self, forPrimaryKey: $0) }
    }
}

extension SeededGenerator {
    mutating func color() -> String {
        ["red", "green", "blue", "grey"].randomElement(using: &self) ?? ""
    }
    mutating func name() -> String { "name \(Int.random(in: 0..<150, using: &self))" }
}
