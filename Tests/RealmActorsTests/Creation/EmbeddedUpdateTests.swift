import Foundation
import RealmActors
import StorageHarness
import Testing

private final class Bookcase: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var label: String
    @Persisted var books: List<Book>
    @Persisted var best: Map<String, Book?>
    @Persisted var first: Book?
    @Persisted var numbers: List<Int>
    @Persisted var tags: MutableSet<String>
    @Persisted var counts: Map<String, Int>
}
private final class Book: EmbeddedObject {
    @Persisted var title: String
    @Persisted var pages: Int
    @Persisted var notes: List<Note>
}
private final class Note: EmbeddedObject {
    @Persisted var text: String
}

/// An update with `.modified` changes embedded objects in place: they were created anew, which
/// invalidated accessors and reported everything as changed.
@Suite struct EmbeddedUpdateTests {
    typealias Values = [String: Any]

    /// How values come into the realm.
    enum Way: CaseIterable { case values, objects, json, dynamic }

    private static let types: [ObjectBase.Type] = [Bookcase.self, Book.self, Note.self]

    private static func book(_ title: String, _ pages: Int, _ notes: [String] = []) -> Values {
        ["title": title, "pages": pages, "notes": notes.map { ["text": $0] }]
    }

    private static var start: Values {
        [
            "id": 1, "label": "l", "books": [book("a", 1, ["x", "y"]), book("b", 2)],
            "best": ["k": book("c", 3), "m": book("d", 4)], "first": book("e", 5),
            "numbers": [1, 2, 3], "tags": ["t", "u"], "counts": ["n": 1],
        ]
    }

    private static func keepingHistory(_ configuration: inout Realm.Configuration) {
        configuration.history = .keep(bytes: 1 << 20)
    }

    private static func write(
        _ values: Values, _ way: Way, _ tx: WriteTransaction
    ) throws {
        switch way {
        case .values: try tx.create(Bookcase.self, value: values, update: .modified)
        case .objects: try tx.add(Bookcase(value: values), update: .modified)
        case .json:
            let json = try JSONSerialization.data(withJSONObject: values)
            try tx.create(Bookcase.self, json: json, update: .modified)
        case .dynamic: try tx.dynamicCreate("Bookcase", value: values, update: .modified)
        }
    }

    private static func text(_ shelf: Frozen<Bookcase>) -> String {
        func text(_ book: Frozen<Book>?) -> String {
            book.map { "\($0.title)\($0.pages)\($0.notes.map(\.text))" } ?? "nil"
        }
        let best = shelf.best.map { "\($0.key): \(text($0.value))" }
        return "\(shelf.label) \(shelf.books.map { text($0) }) \(best) \(text(shelf.first)) "
            + "\(Array(shelf.numbers)) \(shelf.tags.sorted()) \(shelf.counts.map { "\($0)" })"
    }

    @Test("D26: equal values notify nobody", arguments: Way.allCases)
    func equal(_ way: Way) async throws {
        try await withFreshRealm(Self.types, Self.keepingHistory) { realm in
            let shelf = try await realm.write { tx in
                try tx.create(Bookcase.self, value: Self.start).freeze()
            }
            let token = realm.snapshot().changeToken
            try await realm.write { tx in try Self.write(Self.start, way, tx) }
            try await realm.write { tx in
                try Self.write(Self.start.merging(["label": "new"]) { $1 }, way, tx)
            }
            let now = try #require(realm.object(Bookcase.self, forPrimaryKey: 1))
            #expect(Self.text(now).dropFirst(3) == Self.text(shelf).dropFirst(1))
            var commits = realm.commits(since: token).makeAsyncIterator()
            while let commit = try await commits.next() {
                let modified = commit.modifications(of: Bookcase.self)
                if modified.isEmpty {
                    #expect(commit.classNames.isEmpty)
                    continue
                }
                #expect(commit.classNames == ["Bookcase"])
                #expect(modified.map(\.propertyNames) == [["label"]])
                break
            }
            #expect(try await realm.verify().isIntact)
        }
    }

    @Test("D26: in place, by position or key", arguments: Way.allCases)
    func inPlace(_ way: Way) async throws {
        try await withFreshRealm(Self.types) { realm in
            try await realm.write { tx in
                let shelf = try tx.create(Bookcase.self, value: Self.start)
                let (book, best, removed) = (shelf.books[0], shelf.best["k"] ?? nil, shelf.books[1])
                let note = book.notes[0]
                try Self.write(
                    [
                        "id": 1, "books": [Self.book("A", 1, ["X"])],
                        "best": ["k": Self.book("C", 3), "z": Self.book("z", 9)],
                    ], way == .objects ? .values : way, tx)
                #expect(
                    !book.isInvalidated && book.title == "A"
                        && book.isSameObject(as: shelf.books[0]))
                #expect(note.text == "X" && book.notes.count == 1)
                #expect(best?.title == "C" && removed.isInvalidated)
                #expect(shelf.books.count == 1 && shelf.best.keys == ["k", "z"])
                #expect(shelf.label == "l" && shelf.first?.title == "e")
                try Self.write(
                    ["id": 1, "books": [Self.book("A", 1), Self.book("n", 0)]],
                    way == .objects ? .values : way, tx)
                #expect(shelf.books.map(\.title) == ["A", "n"] && !book.isInvalidated)
            }
            #expect(try realm.dynamicObjects("Book").count == 5)
            #expect(try await realm.verify().isIntact)
        }
    }

    /// Two ways to write a letter with its accent are two keys, and were one to an import.
    @Test func keysInJSONAreToldApartByTheirBytes() async throws {
        try await withFreshRealm(Self.types) { realm in
            try await realm.write { tx in
                let shelf = try tx.create(Bookcase.self, value: ["id": 1])
                let (first, second) = ("e\u{301}", "\u{E9}")
                shelf.best[first] = try Book(value: Self.book("a", 1))
                shelf.best[second] = try Book(value: Self.book("b", 2))
                let book = try #require(shelf.best[first] ?? nil)
                let json = #"{"id": 1, "best": {"KEY": {"title": "new"}}}"#
                    .replacing("KEY", with: first)
                try tx.create(Bookcase.self, json: Data(json.utf8), update: .modified)
                #expect(!book.isInvalidated && book.title == "new" && book.pages == 1)
                #expect(shelf.best.count == 1 && (shelf.best[second] ?? nil) == nil)
            }
            #expect(try realm.dynamicObjects("Book").count == 1)
            #expect(try await realm.verify().isIntact)
        }
    }

    @Test("D26: elements of the list itself may be given in another order")
    func reordered() async throws {
        try await withFreshRealm(Self.types) { realm in
            try await realm.write { tx in
                let shelf = try tx.create(Bookcase.self, value: Self.start)
                try tx.create(
                    Bookcase.self, value: ["id": 1, "books": [shelf.books[1], shelf.books[0]]],
                    update: .modified)
                #expect(shelf.books.map(\.title) == ["b", "a"])
                #expect(shelf.books[1].notes.map(\.text) == ["x", "y"])
            }
            #expect(try await realm.verify().isIntact)
        }
    }

    /// Random updates in every way, against dictionaries in memory.
    @Test func updatesAgreeWithANaiveModel() async throws {
        var random = SeededGenerator()
        func books(_ random: inout SeededGenerator) -> [Values] {
            (0..<Int.random(in: 0...3, using: &random)).map { _ in
                let notes = (0..<Int.random(in: 0...2, using: &random)).map { "n\($0)" }
                let title = ["a", "b"].randomElement(using: &random) ?? ""
                return Self.book(title, Int.random(in: 0...2, using: &random), notes)
            }
        }
        try await withFreshRealm(Self.types) { realm in
            var model = Self.start
            try await realm.write { tx in try tx.create(Bookcase.self, value: Self.start) }
            for round in 0..<60 {
                let way = Way.allCases.randomElement(using: &random) ?? .values
                var values: Values = ["id": 1]
                for name in ["books", "best", "numbers", "tags", "counts", "first", "label"]
                where way == .objects || Bool.random(using: &random) {
                    let number = Int.random(in: 0...3, using: &random)
                    switch name {
                    case "books": values[name] = books(&random)
                    case "best":
                        values[name] = Dictionary(
                            books(&random).enumerated().map { ("k\($0)", $1) },
                            uniquingKeysWith: { $1 })
                    case "numbers": values[name] = Array(0..<number)
                    case "tags": values[name] = (0..<number).map { "t\($0)" }
                    case "counts": values[name] = ["n": number]
                    case "first": values[name] = Self.book("f", number)
                    default: values[name] = "l\(number)"
                    }
                }
                model.merge(values) { $1 }
                // Unsafe: values that nobody changes any more.
                nonisolated(unsafe) let given = values
                try await realm.write { tx in try Self.write(given, way, tx) }
                let expected = try await withFreshRealm(Self.types) { other in
                    // Unsafe: as above.
                    nonisolated(unsafe) let whole = model
                    return try await other.write { tx in
                        try Self.text(tx.create(Bookcase.self, value: whole).freeze())
                    }
                }
                let shelf = try #require(realm.object(Bookcase.self, forPrimaryKey: 1))
                #expect(Self.text(shelf) == expected, "SEED=\(random.seed), round \(round), \(way)")
            }
            #expect(try await realm.verify().isIntact, "SEED=\(random.seed)")
        }
    }
}
