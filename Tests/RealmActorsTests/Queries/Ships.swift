import Foundation
import Testing

@testable import RealmActors

enum Rig: String, PersistableEnum { case sloop, brig, ship }

/// A class with a property of every shape that queries tell apart.
final class Ship: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted(indexed: true) var name: String
    @Persisted var tons: Int?
    @Persisted var masts: Int
    @Persisted var speed: Double
    @Persisted var length: Float
    @Persisted var fast: Bool
    @Persisted var nickname: String?
    @Persisted var launched: Date?
    @Persisted var code: UUID?
    @Persisted var price: Decimal128
    @Persisted var rig: Rig = .sloop
    @Persisted var captain: Sailor?
    @Persisted var crew: List<Sailor>
    @Persisted var ports: List<String>
    @Persisted var draughts: List<Double?>
    @Persisted var marks: MutableSet<Int>
    @Persisted var cargo: Map<String, Int>
    @Persisted var mates: Map<String, Sailor?>
    @Persisted var extra: AnyRealmValue
    @Persisted var place: ShipPlace?
    @Persisted var flag: Data?
    /// Not a property of the database.
    var visits = 0
}

final class Sailor: Object {
    @Persisted var name: String
    @Persisted var age: Int
    @Persisted var pay: Double?
    @Persisted var friend: Sailor?
    @Persisted(originProperty: "crew") var ships: LinkingObjects<Ship>
}

final class ShipPlace: EmbeddedObject {
    @Persisted var harbour: String
}

/// Four ships, of which the third has nothing, and five sailors.
enum Ships {
    static let types: [ObjectBase.Type] = [Ship.self, Sailor.self, ShipPlace.self]
    static let code = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

    static func fill(_ tx: WriteTransaction) throws {
        let sailors = try ["Ann", "Bob", "Cy", "Dee", "Eve"].enumerated().map { index, name in
            try tx.create(
                Sailor.self,
                value: [
                    "name": name, "age": 20 + index * 10,
                    "pay": (index == 4 ? nil : Double(index) * 1.5) as Any,
                ])
        }
        sailors[0].friend = sailors[1]
        sailors[1].friend = sailors[2]
        let rows: [[String: Any]] = [
            [
                "number": 0, "name": "Argo", "tons": 100, "masts": 2, "speed": 8.5, "length": 30,
                "fast": true, "nickname": "Old One", "price": "12.50",
                "launched": Date(timeIntervalSinceReferenceDate: 100), "code": code, "rig": "brig",
                "captain": sailors[0], "crew": [sailors[0], sailors[1], sailors[2]],
                "ports": ["Cadiz", "Oslo"], "draughts": [1.5, nil, 3.5], "marks": [1, 2, 3],
                "cargo": ["tea": 5, "tin": 50], "mates": ["first": sailors[1], "second": nil],
                "extra": ["a": [1, 2, "deep"], "b": 7], "place": ["harbour": "Cadiz"],
                "flag": Data([1, 2, 3]),
            ],
            [
                "number": 1, "name": "\u{C9}toile", "tons": 250, "masts": 3, "speed": -1.0,
                "length": 0.1, "fast": false, "price": "0.1", "rig": "ship",
                "launched": Date(timeIntervalSinceReferenceDate: 200),
                "captain": sailors[3], "crew": [sailors[3], sailors[4]], "ports": ["Oslo"],
                "draughts": [2.0], "marks": [5], "cargo": ["tea": 1],
                "mates": ["first": sailors[4]], "extra": [10, 20, 30],
            ],
            ["number": 2, "name": "", "speed": Double.nan],
            [
                "number": 3, "name": "argo II", "tons": 3, "masts": 3, "speed": 2.0, "fast": true,
                "nickname": "", "captain": sailors[4], "crew": [sailors[4]], "extra": "text",
            ],
        ]
        for row in rows { try tx.create(Ship.self, value: row) }
    }

    /// Runs `body` over the same ships as frozen results, as live ones, and within a write.
    static func check(
        _ body: @Sendable (any ShipQueries) throws -> Void
    ) async throws {
        let realm = try await Realm.open(
            .init(inMemoryIdentifier: UUID().uuidString, objectTypes: types))
        try await realm.write { tx in
            try fill(tx)
            try body(tx.objects(Ship.self))
        }
        try body(realm.objects(Ship.self))
        try await checkLive(realm, body)
        try await realm.close()
    }

    @MainActor private static func checkLive(
        _ realm: Realm, _ body: (any ShipQueries) throws -> Void
    ) async throws {
        let live = try await realm.live()
        try body(live.objects(Ship.self))
    }
}

/// Results of ships, of whichever kind.
protocol ShipQueries {
    func numbers(_ isIncluded: (Query<Ship>) -> Query<Bool>) -> [Int]
    func numbers(_ query: String, _ arguments: QueryArguments) throws(RealmError) -> [Int]
    /// The object with this number, which a query compares with.
    func ship(_ number: Int) throws -> Any
    func sailor(_ name: String) throws -> Any
}

extension ShipQueries {
    /// What a query in text finds.
    func find(_ query: String, _ arguments: Any?...) throws -> [Int] {
        try numbers(query, QueryArguments(positional: arguments))
    }

    func find(_ query: String, named arguments: [String: Any?]) throws(RealmError) -> [Int] {
        try numbers(query, QueryArguments(named: arguments))
    }
}

extension QueryableResults where Model == Ship {
    func numbers(_ query: String, _ arguments: QueryArguments) throws(RealmError) -> [Int] {
        Self(_plan: try _plan.filtered(query, arguments)).values(of: \.number)
    }
}

extension FrozenResults: ShipQueries where Model == Ship {
    func ship(_ number: Int) throws -> Any { self[number] }
    func sailor(_ name: String) throws -> Any {
        try #require(snapshot.objects(Sailor.self).where { $0.name == name }.first)
    }
    func numbers(_ isIncluded: (Query<Ship>) -> Query<Bool>) -> [Int] {
        `where`(isIncluded).values(of: \.number)
    }
}

extension Results: ShipQueries where Model == Ship {
    func ship(_ number: Int) throws -> Any { self[number] }
    func sailor(_ name: String) throws -> Any {
        let sailors = [self[0].crew, self[1].crew].flatMap { Array($0) }
        return try #require(sailors.first { $0.name == name })
    }
    func numbers(_ isIncluded: (Query<Ship>) -> Query<Bool>) -> [Int] {
        `where`(isIncluded).values(of: \.number)
    }
}
