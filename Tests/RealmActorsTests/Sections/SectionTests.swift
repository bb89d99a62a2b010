import Foundation
import StorageHarness
import Testing

@testable import RealmActors

final class ShelfBook: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var year: Int
    @Persisted var title: String = ""
    @Persisted var price: Double?
    @Persisted var author: ShelfAuthor?
    @Persisted(originProperty: "books") var shelves: LinkingObjects<Shelf>
    var initial: String { String(title.prefix(1)) }
}

final class ShelfAuthor: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted(originProperty: "author") var books: LinkingObjects<ShelfBook>
}

final class Shelf: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var books: List<ShelfBook>
    @Persisted var pack: MutableSet<ShelfBook>
    @Persisted var named: Map<String, ShelfBook?>
}

/// Five books of two authors, all of them on one shelf.
struct ShelfWorld {
    static let titles = ["Ada", "Bob", "Abe", "Cleo", "Ben"]
    let realm: Realm

    init() async throws {
        realm = try await Realm.open(
            .init(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [ShelfBook.self, ShelfAuthor.self, Shelf.self]))
        try await realm.write { tx in
            let shelf = try tx.create(Shelf.self, value: ["id": 0])
            let authors = try ["Mann", "Zola"].map {
                try tx.create(ShelfAuthor.self, value: ["name": $0])
            }
            for (id, title) in Self.titles.enumerated() {
                let book = try tx.create(
                    ShelfBook.self,
                    value: ["id": id, "year": 1900 + id % 2, "title": title] as [String: Any])
                if id > 0 { book.author = authors[id % 2] }
                shelf.books.append(book)
                if id < 3 { shelf.pack.insert(book) }
                shelf.named[title] = .some(book)
            }
        }
    }

    var books: FrozenResults<ShelfBook> { realm.objects(ShelfBook.self) }

    var shelf: Frozen<Shelf> {
        get throws { try #require(realm.object(Shelf.self, forPrimaryKey: 0)) }
    }

    func edit(_ body: sending @escaping (WriteTransaction, [ShelfBook]) throws -> Void) async throws
    {
        try await realm.write { tx in try body(tx, Array(tx.objects(ShelfBook.self))) }
    }
}

/// Sections as text: `1900: 0 2 4 | 1901: 1 3`.
func shown<Key>(_ sections: FrozenSectionedResults<Key, ShelfBook>) -> String {
    sections.map { section in
        "\(section.key): " + section.map { "\($0.id)" }.joined(separator: " ")
    }.joined(separator: " | ")
}

/// Live sections as text.
func shown<Key>(_ sections: SectionedResults<Key, ShelfBook>) -> String {
    sections.map { section in
        "\(section.key): " + section.map { "\($0.id)" }.joined(separator: " ")
    }.joined(separator: " | ")
}

/// Sections of frozen and live results.
@Suite struct SectionTests {
    @Test("Q18: sectioned(by:) sorts by the key path, ascending or not; allKeys, subscripts")
    func keyPath() async throws {
        let world = try await ShelfWorld()
        let sections = world.books.sectioned(by: \.year)
        #expect(shown(sections) == "1900: 0 2 4 | 1901: 1 3")
        #expect(sections.allKeys == [1900, 1901] && sections.count == 2)
        #expect(sections[1].key == 1901 && sections[1].id == 1901 && sections[1].count == 2)
        #expect(sections[SectionPath(section: 1, item: 1)].id == 3)
        #expect(sections.section(forKey: 1901)?.last?.id == 3)
        #expect(sections.section(forKey: 1902) == nil)
        #expect(
            shown(world.books.sectioned(by: \.year, ascending: false))
                == "1901: 1 3 | 1900: 0 2 4")
        let book = try #require(sections.last?.last)
        #expect(sections[1].index(of: book) == 1 && sections[0].index(of: book) == nil)
        #expect(world.books.where { $0.id > 9 }.sectioned(by: \.year).isEmpty)
    }

    @Test("Q18: sections by nullable values and across links; nil is a section of its own")
    func nullables() async throws {
        let world = try await ShelfWorld()
        try await world.edit { _, books in books[1].price = 2 }
        #expect(shown(world.books.sectioned(by: \.price)) == "nil: 0 2 3 4 | Optional(2.0): 1")
        let authors = world.books.sectioned(by: \.author?.name)
        #expect(authors.allKeys == ["Mann", "Zola", nil])
        #expect(authors.map(\.count) == [2, 2, 1])
    }

    @Test("Q18: the key path must be the first sort descriptor")
    func descriptors() async throws {
        let world = try await ShelfWorld()
        let sorted = try world.books.sectioned(
            by: \.year,
            sortDescriptors: [
                .init(keyPath: "year", ascending: false), .init(keyPath: \ShelfBook.title),
            ])
        #expect(shown(sorted) == "1901: 1 3 | 1900: 2 0 4")
        for descriptors in [[SortDescriptor(keyPath: "title")], []] {
            do {
                _ = try world.books.sectioned(by: \.year, sortDescriptors: descriptors)
                Issue.record("Sections by 'year' take another order.")
            } catch {
                guard case .invalidKeyPath(let message) = error else { throw error }
                #expect(message.contains("'year' must be sorted by it first"))
            }
        }
    }

    @Test("Q18: sections by code stand in the order of their first objects")
    func block() async throws {
        let world = try await ShelfWorld()
        let initials = world.books.sectioned { $0.initial }
        #expect(shown(initials) == "A: 0 2 | B: 1 4 | C: 3")
        #expect(initials[SectionPath(section: 0, item: 1)].title == "Abe")
        #expect(initials[SectionPath(section: 1, item: 1)].title == "Ben")
        let sorted = try world.books.sectioned(
            by: { $0.title.count }, sortDescriptors: [.init(keyPath: "title", ascending: false)])
        #expect(shown(sorted) == "4: 3 | 3: 1 4 0 2")
    }

    @Test("Q18: values that equal nothing share a section")
    func unequal() async throws {
        let world = try await ShelfWorld()
        try await world.edit { _, books in
            for book in books { book.price = book.id < 3 ? .nan : 1 }
        }
        let sections = world.books.sectioned { $0.price ?? 0 }
        #expect(sections.map(\.count) == [3, 2])
        #expect(sections.section(forKey: .nan)?.map(\.id) == [0, 1, 2])
    }

    @Test("Q18: lists, sets, maps and inverses have sections")
    func collections() async throws {
        let world = try await ShelfWorld()
        let shelf = try world.shelf
        #expect(shown(shelf.books.sectioned(by: \.year)) == "1900: 0 2 4 | 1901: 1 3")
        #expect(shown(shelf.books.sectioned { $0.initial }) == "A: 0 2 | B: 1 4 | C: 3")
        #expect(shown(shelf.pack.sectioned(by: \.year)) == "1900: 0 2 | 1901: 1")
        #expect(shown(shelf.named.sectioned { $0.initial }) == "A: 2 0 | B: 4 1 | C: 3")
        let zola = try #require(world.realm.object(ShelfAuthor.self, forPrimaryKey: "Zola"))
        #expect(shown(zola.books.sectioned(by: \.title)) == "Bob: 1 | Cleo: 3")
    }

    @Test("F7: freeze and thaw of sections and of one section")
    @MainActor func freezing() async throws {
        let world = try await ShelfWorld()
        let live = try await world.realm.live()
        let sections = live.objects(ShelfBook.self).sectioned(by: \.year)
        let frozen = sections.freeze()
        let section = try #require(sections.section(forKey: 1901)).freeze()
        try await live.write { live.object(ShelfBook.self, forPrimaryKey: 1)?.year = 1900 }
        #expect(shown(sections) == "1900: 0 1 2 4 | 1901: 3")
        #expect(shown(frozen) == "1900: 0 2 4 | 1901: 1 3" && section.count == 2)
        #expect(frozen.thaw(in: live).map { shown($0) } == "1900: 0 1 2 4 | 1901: 3")
        #expect(section.thaw(in: live)?.map(\.id) == [3])
        try await world.edit { tx, _ in try tx.deleteAll(ShelfBook.self) }
        let later = world.books.sectioned(by: \.year)
        #expect(later.thaw(in: live)?.isEmpty == true, "thawing catches up")
        let other = try await ShelfWorld().realm.live()
        #expect(frozen.thaw(in: other) == nil && section.thaw(in: other) == nil)
    }

    @Test("Q18: live sections of every kind follow changes, also inside a write")
    @MainActor func live() async throws {
        let world = try await ShelfWorld()
        let live = try await world.realm.live()
        let shelf = try #require(live.object(Shelf.self, forPrimaryKey: 0))
        let zola = try #require(live.object(ShelfAuthor.self, forPrimaryKey: "Zola"))
        let years = live.objects(ShelfBook.self).sectioned(by: \.year)
        let listed = shelf.books.sectioned(by: \.year, ascending: false)
        let packed = shelf.pack.sectioned { $0.initial }
        let linking = zola.books.sectioned(by: \.title)
        let section = try #require(years.section(forKey: 1901))
        #expect(shown(packed) == "A: 0 2 | B: 1" && shown(linking) == "Bob: 1 | Cleo: 3")
        try await live.write {
            let book = try #require(live.object(ShelfBook.self, forPrimaryKey: 1))
            book.year = 1800
            book.title = "Dan"
            #expect(shown(years) == "1800: 1 | 1900: 0 2 4 | 1901: 3")
            #expect(shown(listed) == "1901: 3 | 1900: 0 2 4 | 1800: 1")
            #expect(shown(packed) == "A: 0 2 | D: 1" && shown(linking) == "Cleo: 3 | Dan: 1")
            #expect(section.count == 1 && section.first?.id == 3 && section.id == 1901)
            let last = try #require(section.first)
            #expect(section.index(of: last) == 0 && section.index(of: book) == nil)
            last.year = 1800
            #expect(section.isEmpty && years.section(forKey: 1901) == nil)
        }
        #expect(section.isEmpty && years.allKeys == [1800, 1900])
        try await live.write { live.object(ShelfBook.self, forPrimaryKey: 4)?.year = 1901 }
        #expect(section.map(\.id) == [4])
        live.invalidate()
        #expect(years.isInvalidated && section.isInvalidated && years.isEmpty && section.isEmpty)
    }

    @Test("Q18: a table of sections agrees with grouping its rows, whatever comes and goes")
    func tables() {
        var random = SeededGenerator()
        for _ in 0..<300 {
            var keys = (0..<Int.random(in: 0..<12, using: &random)).map { _ in
                Int.random(in: 0..<4, using: &random)
            }
            var table = SectionTable(keys)
            for _ in 0..<6 {
                let deletions = keys.indices.filter { _ in
                    Int.random(in: 0..<4, using: &random) == 0
                }
                var next = keys
                for position in deletions.reversed() { next.remove(at: position) }
                var insertions: [(position: Int, key: Int)] = []
                let count = next.count + Int.random(in: 0..<4, using: &random)
                let places = (0..<count).shuffled(using: &random).prefix(count - next.count)
                for position in places.sorted() {
                    let key = Int.random(in: 0..<5, using: &random)
                    next.insert(key, at: position)
                    insertions.append((position, key))
                }
                let (applied, moves) = table.applying(deletions, insertions)
                for (section, place) in moves.enumerated() {
                    let key = table.keys[section]
                    #expect(place == applied.number(of: key), "SEED=\(random.seed)")
                }
                table = applied
                keys = next
                Self.expect(table, groups: keys, random.seed)
            }
        }
    }

    private static func expect(_ table: SectionTable<Int>, groups keys: [Int], _ seed: UInt64) {
        var order: [Int] = []
        for key in keys where !order.contains(key) { order.append(key) }
        #expect(table.keys == order && table.rowCount == keys.count, "SEED=\(seed)")
        for (section, key) in order.enumerated() {
            let rows = keys.indices.filter { keys[$0] == key }
            #expect(table.counts[section] == rows.count, "SEED=\(seed)")
            for (item, row) in rows.enumerated() {
                let path = SectionPath(section: section, item: item)
                #expect(table.position(of: path) == row, "SEED=\(seed)")
                #expect(table.path(of: row) == path, "SEED=\(seed)")
            }
        }
    }
}
