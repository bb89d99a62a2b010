import Foundation
import Storage
import Testing

@testable import RealmActors

/// What the streams of sections deliver.
@Suite struct SectionStreamTests {
    /// One change as text, with the sections: `-[0.1] -s[1] +s[0] +[0.0] ~[]`.
    private func nextSummary<Key>(
        _ probe: StreamProbe<CollectionChange<FrozenSectionedResults<Key, ShelfBook>>>
    ) throws -> String {
        guard let change = try probe.next() else { return "" }
        guard case .update(_, let deletions, let insertions, let modifications) = change else {
            return "initial \(change.collection.count)"
        }
        return "-\(deletions) -s\(change.deletedSections) +s\(change.insertedSections) "
            + "+\(insertions) ~\(modifications) \(change.newModifications)"
    }

    @Test("N25: positions are places in sections; modifications index the old ones")
    func positions() async throws {
        let world = try await ShelfWorld()
        let probe = try world.books.sectioned(by: \.year).changes().probe()
        try await world.edit { _, books in books[3].title = "x" }
        #expect(try nextSummary(probe) == "-[] -s[] +s[] +[] ~[1.1] [1.1]")
        try await world.edit { tx, books in
            try tx.delete(books[1])
            books[3].title = "y"
            books[2].title = "y"
            try tx.create(ShelfBook.self, value: ["id": 7, "year": 1900])
        }
        #expect(try nextSummary(probe) == "-[1.0] -s[] +s[] +[0.3] ~[0.1, 1.1] [0.1, 1.0]")
        try await world.edit { _, _ in }
        #expect(try nextSummary(probe) == "")
    }

    @Test("N25: rows of a deleted section are omitted, those of a new one are inserted")
    func sections() async throws {
        let world = try await ShelfWorld()
        let probe = try world.books.sectioned(by: \.year).changes().probe()
        try await world.edit { tx, books in
            try tx.delete(books[1])
            try tx.delete(books[3])
            try tx.delete(books[0])
        }
        #expect(try nextSummary(probe) == "-[0.0] -s[1] +s[] +[] ~[] []")
        try await world.edit { tx, books in
            for id in 7..<9 { try tx.create(ShelfBook.self, value: ["id": id, "year": 1800]) }
            books[0].title = "x"
        }
        #expect(try nextSummary(probe) == "-[] -s[] +s[0] +[0.0, 0.1] ~[0.0] [1.0]")
        try await world.edit { tx, _ in try tx.deleteAll(ShelfBook.self) }
        #expect(try nextSummary(probe) == "-[] -s[0, 1] +s[] +[] ~[] []")
    }

    @Test("N25: a section all of whose rows are replaced by others stays")
    func replacedRows() async throws {
        let world = try await ShelfWorld()
        let probe = try world.books.sectioned(by: \.year).changes().probe()
        try await world.edit { tx, books in
            try tx.delete(books[1])
            try tx.delete(books[3])
            try tx.create(ShelfBook.self, value: ["id": 7, "year": 1901])
        }
        #expect(try nextSummary(probe) == "-[1.0, 1.1] -s[] +s[] +[1.0] ~[] []")
    }

    @Test("N25: a row that changes its section fires whatever the key paths")
    func filtered() async throws {
        let world = try await ShelfWorld()
        let sections = world.books.sectioned(by: \.year)
        let probes = try [
            sections.changes(keyPaths: ["title"]), sections.changes(keyPaths: [\.title]),
        ]
        .map { try $0.probe() }
        let edits: [(@Sendable ([ShelfBook]) -> Void, String)] = [
            ({ $0[0].price = 1 }, ""), ({ $0[0].title = "x" }, "-[] -s[] +s[] +[] ~[0.0] [0.0]"),
            ({ $0[2].year = 1901 }, "-[0.1] -s[] +s[] +[1.1] ~[] []"),
            ({ $0[0].year = 1950 }, "-[0.0] -s[] +s[2] +[2.0] ~[] []"),
            // The only row of its section, whose place in the order stays.
            ({ $0[0].year = 1960 }, "-[] -s[2] +s[2] +[2.0] ~[] []"),
        ]
        for (edit, expected) in edits {
            try await world.edit { _, books in edit(books) }
            for probe in probes { #expect(try nextSummary(probe) == expected) }
        }
    }

    @Test(
        "N25: sections by code follow what is linked; a section that moves goes and comes"
    )
    func linked() async throws {
        let world = try await ShelfWorld()
        let authors = try world.books.sectioned { String($0.author?.name.prefix(1) ?? "-") }
            .changes(keyPaths: ["title"]).probe()
        let initials = try world.books.sectioned { $0.initial }.changes().probe()
        try await world.edit { _, books in books[3].author = books[2].author }
        #expect(try nextSummary(authors) == "-[1.1] -s[] +s[] +[2.1] ~[] []")
        #expect(try nextSummary(initials) == "-[] -s[] +s[] +[] ~[2.0] [2.0]")
        // A's first book becomes B's first: B comes before A now.
        try await world.edit { _, books in books[0].title = "Bea" }
        #expect(try nextSummary(initials) == "-[] -s[0] +s[1] +[0.0, 1.0] ~[] []")
        try await world.realm.write { tx in
            try tx.delete(#require(tx.object(ShelfAuthor.self, forPrimaryKey: "Mann")))
        }
        #expect(try nextSummary(authors) == "-[] -s[2] +s[] +[0.1, 0.2, 0.3] ~[0.0] [0.0]")
    }

    /// The section that it passed was reported.
    @Test("N25: of two sections that change places, the one whose rows have moved is reported")
    func movedSection() async throws {
        let world = try await ShelfWorld()
        try await world.edit { _, books in
            for (price, id) in [0, 2, 1, 4, 3].enumerated() { books[id].price = Double(price + 1) }
        }
        let probe = try world.books.sorted(by: \.price).sectioned { $0.initial }.changes().probe()
        try await world.edit { _, books in books[1].price = 0 }
        #expect(try nextSummary(probe) == "-[] -s[1] +s[0] +[0.0, 0.1] ~[] []")
    }

    @Test("N25: one section reports indices, becomes empty, and gets objects again")
    func oneSection() async throws {
        let world = try await ShelfWorld()
        let section = try #require(world.books.sectioned(by: \.year).section(forKey: 1901))
        let probe = try section.changes(keyPaths: [\.title]).probe()
        let text = try section.changes(keyPaths: ["title"]).probe()
        let edits: [(@Sendable ([ShelfBook]) -> Void, String)] = [
            ({ $0[3].title = "x" }, "-[] +[] ~[1]"), ({ $0[0].title = "x" }, ""),
            ({ $0[3].price = 4 }, ""), ({ $0[1].year = 1900 }, "-[0] +[] ~[]"),
            ({ $0[3].year = 1900 }, "-[0] +[] ~[]"), ({ $0[3].year = 1800 }, ""),
            ({ $0[2].year = 1901 }, "-[] +[0] ~[]"),
        ]
        for (edit, expected) in edits {
            try await world.edit { _, books in edit(books) }
            #expect(try probe.nextSummary() == expected && text.nextSummary() == expected)
        }
    }

    @Test("N25: streams are asked of live sections too, and delivered to an actor")
    @MainActor func observing() async throws {
        let world = try await ShelfWorld()
        let live = try await world.realm.live()
        let sections = live.objects(ShelfBook.self).sectioned(by: \.year)
        let section = try #require(sections.section(forKey: 1900))
        let counts = AsyncStream.makeStream(of: String.self)
        let tokens = try [
            sections.observe(on: MainActor.shared, keyPaths: [\.title]) { _, change in
                counts.continuation.yield("sections \(change.collection.map(\.count))")
            },
            section.observe(on: MainActor.shared, keyPaths: ["title"]) { _, change in
                counts.continuation.yield("section \(change.collection.count)")
            },
        ]
        var received = counts.stream.makeAsyncIterator()
        var first: Set<String> = []
        for _ in 0..<2 { first.insert(await received.next() ?? "") }
        #expect(first == ["sections [3, 2]", "section 3"])
        try await live.write { live.object(ShelfBook.self, forPrimaryKey: 1)?.year = 1900 }
        var second: Set<String> = []
        for _ in 0..<2 { second.insert(await received.next() ?? "") }
        #expect(second == ["sections [4, 1]", "section 4"])
        for token in tokens { token.invalidate() }
        #expect(throws: RealmError.self) {
            try sections.observe(on: MainActor.shared, keyPaths: ["nothing"]) { _, _ in }
        }
        let probe = try sections.changes().probe()
        let own = try section.changes().probe()
        try await live.write { live.object(ShelfBook.self, forPrimaryKey: 1)?.title = "z" }
        #expect(try nextSummary(probe) == "-[] -s[] +s[] +[] ~[0.1] [0.1]")
        #expect(try own.nextSummary() == "-[] +[] ~[1]")
    }

    /// It ended the process before the stream could throw why. A row that cannot be read looks like
    /// one that commits have created and that is not there.
    @Test func anObjectThatCannotBeReadIsInTheSectionOfOneWithoutValues() async throws {
        let world = try await ShelfWorld()
        let books = world.books
        var producer = books.sectioned { $0.year }.changes().producer
        _ = try producer.produce(MergedMarks(), at: world.realm.snapshot())
        var marks = MergedMarks()
        let created = ClassChanges(created: [1_000..<1_001], deleted: [], touched: [:])
        marks.add([books.query.classID: created])
        let production = try producer.produce(marks, at: world.realm.snapshot())
        guard case .element(let change) = production else {
            Issue.record("expected a change")
            return
        }
        #expect(change.collection.allKeys == [1900, 1901, 0])
    }
}
