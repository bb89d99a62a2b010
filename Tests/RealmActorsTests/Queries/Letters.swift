import Foundation
import Testing

@testable import RealmActors

/// A class with what can be compared with itself, and with collections of everything.
final class Letter: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var title: String
    @Persisted var body: String?
    @Persisted var bytes: Data
    @Persisted var more: Data?
    @Persisted(indexed: true) var mood: Mood?
    @Persisted var moods: List<Mood>
    @Persisted var maybeMoods: List<Mood?>
    @Persisted var ranks: MutableSet<Rank>
    @Persisted var price: Decimal128
    @Persisted var prices: List<Decimal128>
    @Persisted var value: AnyRealmValue
    @Persisted var values: List<AnyRealmValue>
    @Persisted var dates: List<Date?>
    @Persisted var reply: Letter?
    @Persisted var copies: List<Letter>
    @Persisted var pages: Map<String, Int>
}

/// An optional enum as primary key.
final class Weather: Object {
    @Persisted(primaryKey: true) var mood: Mood?
    @Persisted(indexed: true) var rank: Rank? = .high
    @Persisted var note: String
}

/// Four letters, of which the last has nothing.
enum Letters {
    static let types: [ObjectBase.Type] = [Letter.self, Weather.self]

    static func fill(_ tx: WriteTransaction) throws {
        let rows: [[String: Any]] = [
            [
                "id": 0, "title": "A red dog", "body": "red", "bytes": Data("Rex".utf8),
                "more": Data("rEX".utf8), "mood": "calm", "moods": ["calm", "playful"],
                "maybeMoods": ["calm", nil] as [Any?], "ranks": [1], "price": "12.50",
                "prices": ["0.10", "2"], "value": 3, "values": [1, "two", nil] as [Any?],
                "dates": [Date(timeIntervalSinceReferenceDate: 5), nil] as [Any?],
                "pages": ["first": 1, "last": 9],
            ],
            [
                "id": 1, "title": "RED", "body": "r*d", "bytes": Data([0xFF, 0x52]),
                "more": Data([0x52]), "mood": "playful", "moods": ["playful"], "ranks": [7],
                "price": "0.1", "prices": ["2.00"], "value": "red", "values": [2.0],
                "pages": ["first": 2],
            ],
            [
                "id": 2, "title": "", "body": "", "bytes": Data("Rex dog".utf8),
                "more": Data("dog".utf8), "maybeMoods": ["playful"], "ranks": [1, 7],
                "price": -1, "value": ["red"],
            ],
            ["id": 3, "title": "r\u{E9}d"],
        ]
        let letters = try rows.map { try tx.create(Letter.self, value: $0) }
        letters[0].reply = letters[1]
        letters[1].reply = letters[0]
        letters[0].copies.append(objectsIn: [letters[1], letters[2]])
        letters[1].copies.append(letters[1])
    }

    /// Runs `body` over the same letters within a write, frozen and live.
    static func check(_ body: @Sendable (any LetterQueries) throws -> Void) async throws {
        let realm = try await Realm.open(
            .init(inMemoryIdentifier: UUID().uuidString, objectTypes: types))
        try await realm.write { tx in
            try fill(tx)
            try body(tx.objects(Letter.self))
        }
        try body(realm.objects(Letter.self))
        try await checkLive(realm, body)
        try await realm.close()
    }

    @MainActor private static func checkLive(
        _ realm: Realm, _ body: (any LetterQueries) throws -> Void
    ) async throws {
        let live = try await realm.live()
        try body(live.objects(Letter.self))
    }
}

/// Results of letters, of whichever kind.
protocol LetterQueries {
    func ids(_ isIncluded: (Query<Letter>) -> Query<Bool>) -> [Int]
    func ids(_ query: String, _ arguments: QueryArguments) throws(RealmError) -> [Int]
    /// A condition on the links and copies of letters: whether they lead to one of some letters.
    func linked(to ids: [Int], _ place: LetterPlace) -> [Int]
}

enum LetterPlace { case reply, anyCopy, allCopies, noCopy, contained }

extension LetterQueries {
    func find(_ query: String, _ arguments: Any?...) throws -> [Int] {
        try ids(query, QueryArguments(positional: arguments))
    }
}

extension QueryableResults where Model == Letter {
    func ids(_ isIncluded: (Query<Letter>) -> Query<Bool>) -> [Int] {
        `where`(isIncluded).values(of: \.id)
    }

    func ids(_ query: String, _ arguments: QueryArguments) throws(RealmError) -> [Int] {
        Self(_plan: try _plan.filtered(query, arguments)).values(of: \.id)
    }
}

extension FrozenResults: LetterQueries where Model == Letter {
    func linked(to ids: [Int], _ place: LetterPlace) -> [Int] {
        let letters = filter { ids.contains($0.id) }
        return self.ids {
            switch place {
            case .reply: $0.reply.in(letters)
            case .anyCopy: $0.copies.any.in(letters)
            case .allCopies: $0.copies.all.in(letters)
            case .noCopy: $0.copies.none.in(letters)
            case .contained: $0.copies.containsAny(in: letters)
            }
        }
    }
}

extension Results: LetterQueries where Model == Letter {
    func linked(to ids: [Int], _ place: LetterPlace) -> [Int] {
        let letters = filter { ids.contains($0.id) }
        return self.ids {
            switch place {
            case .reply: $0.reply.in(letters)
            case .anyCopy: $0.copies.any.in(letters)
            case .allCopies: $0.copies.all.in(letters)
            case .noCopy: $0.copies.none.in(letters)
            case .contained: $0.copies.containsAny(in: letters)
            }
        }
    }
}
