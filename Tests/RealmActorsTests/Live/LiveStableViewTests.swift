import Foundation
import Testing

@testable import RealmActors

/// Live collections inside writes: they follow every change, and iterating them is safe.
@Suite @MainActor struct LiveStableViewTests {
    private let world: ShelfWorld
    private let live: LiveRealm

    init() async throws {
        world = try await ShelfWorld()
        live = try await world.realm.live()
    }

    private var shelf: Shelf {
        get throws { try #require(live.object(Shelf.self, forPrimaryKey: 0)) }
    }

    private func book(_ id: Int) throws -> ShelfBook {
        try #require(live.object(ShelfBook.self, forPrimaryKey: id))
    }

    /// Iterates `books` inside a write. At the first book, which is kept, one that is still to come
    /// is deleted, and another is created; each is written.
    private func walk(_ books: some Sequence<ShelfBook>, deleting id: Int) async throws -> [Int] {
        var seen: [Int] = []
        try await live.write {
            for book in books {
                if seen.isEmpty {
                    try live.delete(self.book(id))
                    let new = try live.create(
                        ShelfBook.self, value: ["id": 9, "year": 1900, "title": "Abc"])
                    try shelf.books.append(new)
                    try shelf.pack.insert(new)
                    try shelf.named["Abc"] = .some(new)
                    new.author = book.author
                }
                seen.append(book.id)
                book.title = "Z\(book.id)"
                book.year = 1700
                book.price = 0
            }
        }
        return seen
    }

    @Test("Results: live inside writes, stable while iterated, safe to mutate meanwhile")
    func results() async throws {
        let books = live.objects(ShelfBook.self)
        #expect(try await walk(books, deleting: 3) == [0, 1, 2, 4])
        #expect(books.map { $0.id } == [0, 1, 2, 4, 9])
        try await live.write {
            try live.delete(book(0))
            #expect(books.count == 4 && books.first?.id == 1)
            try live.create(ShelfBook.self, value: ["id": 10])
            #expect(books.count == 5 && books.last?.id == 10)
        }
    }

    @Test("filtered Results: live inside writes, stable while iterated, safe to mutate meanwhile")
    func filtered() async throws {
        let books = live.objects(ShelfBook.self).where { $0.year == 1900 }
        #expect(try await walk(books, deleting: 2) == [0, 4])
        #expect(books.map { $0.id } == [9])
        try await live.write {
            try book(1).year = 1900
            #expect(books.map { $0.id } == [1, 9])
        }
    }

    @Test("sorted Results: live inside writes, stable while iterated, safe to mutate meanwhile")
    func sorted() async throws {
        let books = live.objects(ShelfBook.self).sorted(by: \.title)
        // Ada, Abe, Ben, Bob, Cleo.
        #expect(try await walk(books, deleting: 1) == [2, 0, 4, 3])
        #expect(books.map { $0.id } == [9, 0, 2, 3, 4])
        try await live.write {
            try book(3).title = "A"
            #expect(books.first?.id == 3)
        }
    }

    @Test("List: live inside writes, stable while iterated, safe to mutate meanwhile")
    func list() async throws {
        let books = try shelf.books
        #expect(try await walk(books, deleting: 3) == [0, 1, 2, 4])
        #expect(books.map { $0.id } == [0, 1, 2, 4, 9])
        try await live.write {
            var seen: [Int] = []
            for book in books {
                seen.append(book.id)
                books.removeAll()
            }
            #expect(seen == [0, 1, 2, 4, 9] && books.isEmpty)
        }
    }

    @Test("MutableSet: live inside writes, stable while iterated, safe to mutate meanwhile")
    func set() async throws {
        let pack = try shelf.pack
        #expect(try await walk(pack, deleting: 1) == [0, 2])
        #expect(pack.map { $0.id } == [0, 2, 9])
        try await live.write {
            var seen: [Int] = []
            for book in pack {
                seen.append(book.id)
                pack.removeAll()
            }
            #expect(seen == [0, 2, 9] && pack.isEmpty)
        }
    }

    @Test("Map: live inside writes, stable while iterated, safe to mutate meanwhile")
    func map() async throws {
        let named = try shelf.named
        var seen: [String] = []
        try await live.write {
            for (key, value) in named {
                seen.append("\(key) \(value?.id ?? -1)")
                if seen.count == 1 {
                    try live.delete(book(3))
                    named.removeObject(for: "Bob")
                    named["Zoe"] = .some(try book(0))
                }
            }
            #expect(named.keys.sorted() == ["Abe", "Ada", "Ben", "Cleo", "Zoe"])
            #expect(named["Cleo"] == .some(nil))
        }
        #expect(seen.prefix(3) == ["Abe 2", "Ada 0", "Ben 4"])
        #expect(!seen.contains { $0.hasPrefix("Zoe") })
    }

    @Test("LinkingObjects: live inside writes, stable while iterated, safe to mutate meanwhile")
    func linking() async throws {
        let author = try #require(live.object(ShelfAuthor.self, forPrimaryKey: "Mann"))
        let books = author.books
        try await live.write { try book(1).author = author }
        #expect(try await walk(books, deleting: 2) == [1, 4])
        #expect(books.map { $0.id } == [1, 4, 9])
        try await live.write {
            var seen: [Int] = []
            for book in books {
                seen.append(book.id)
                book.author = nil
            }
            #expect(seen == [1, 4, 9] && books.isEmpty)
        }
    }

    @Test("sections: live inside writes, stable while iterated, safe to mutate meanwhile")
    func sections() async throws {
        let sections = live.objects(ShelfBook.self).sectioned(by: \.year)
        let section = try #require(sections.section(forKey: 1900))
        #expect(try await walk(section, deleting: 2) == [0, 4])
        #expect(shown(sections) == "1700: 0 4 | 1900: 9 | 1901: 1 3" && section.map(\.id) == [9])
        try await live.write {
            var seen: [String] = []
            for section in sections {
                seen.append("\(section.key): \(section.map(\.id))")
                for book in section { book.year = 1600 }
                #expect(section.isEmpty)
            }
            #expect(seen == ["1700: [0, 4]", "1900: [9]", "1901: [1, 3]"])
            #expect(sections.allKeys == [1600] && sections[0].count == 5)
        }
    }

    @Test("Results in a write are evaluated again when something has changed, and only then")
    func evaluations() async throws {
        let books = live.objects(ShelfBook.self).where { $0.year == 1900 }
        let sections = live.objects(ShelfBook.self).sectioned(by: \.year)
        try await live.write {
            let shelf = try self.shelf
            let rows = books._rows
            #expect(books.count == 3 && sections.count == 2)
            for _ in 0..<3 { #expect(books._rows === rows) }
            let created = try live.create(ShelfBook.self, value: ["id": 7])
            let edits: [(String, () throws -> Void)] = [
                ("creating", { _ = try live.create(ShelfBook.self, value: ["id": 8]) }),
                ("writing what was created", { created.year = 1900 }),
                ("writing", { try book(1).year = 1900 }),
                ("writing another class", { shelf.books.removeLast() }),
                ("deleting", { try live.delete(book(0)) }),
                ("a set", { shelf.pack.remove(try book(2)) }),
                ("a map", { shelf.named.removeObject(for: "Bob") }),
            ]
            for (name, edit) in edits {
                let before = books._rows
                #expect(before === books._rows, "\(name)")
                try edit()
                #expect(before !== books._rows, "\(name)")
            }
            #expect(books.map { $0.id } == [1, 2, 4, 7])
            #expect(sections.section(forKey: 1900)?.map(\.id) == [1, 2, 4, 7])
            live.cancelWrite()
            #expect(books.map { $0.id } == [0, 2, 4])
            #expect(sections.section(forKey: 1900)?.map(\.id) == [0, 2, 4])
        }
    }
}
