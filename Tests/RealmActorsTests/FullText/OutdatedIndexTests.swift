import Storage
import Testing

@testable import RealmActors

private final class Page: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: .fullText) var text: String
}

/// Stores whose full-text indexes have the words of another version of the library.
@Suite struct OutdatedIndexTests {
    private static let texts = [
        "swift swift actors", "rust", "actors", "swift of many words", "swift, a stage", "",
    ]

    private static func open(_ path: String, readOnly: Bool = false) async throws -> Realm {
        try await Realm.open(
            .init(path: path, objectTypes: [Page.self], readOnly: readOnly, writeTimeout: nil))
    }

    /// The schema that a closed store has in its files.
    private static func storedSchema(_ path: String) throws -> StoreSchema {
        var opening = StoreOpening(fileSystem: POSIXFileSystem(), directory: path)
        opening.options.readOnly = true
        let opened = try opening.open(account: NodeAccount()) { $0 }
        defer { try? opened.log.close() }
        return opened.tree.schema
    }

    private static func isOutdated(_ path: String) throws -> Bool {
        try storedSchema(path).classes.flatMap(\.columns)
            .contains { $0.index == .outdatedFullText }
    }

    /// Makes a store with an index that another version of the library has made: nothing is found
    /// by it.
    private static func makeStore(_ path: String) async throws {
        let model = path + "-model"
        try await open(model).close()
        let stored = try storedSchema(model)
        try Realm.deleteFiles(at: model)
        let id = try #require(stored.classID(named: "Page"))
        var classes = stored.classes
        let column = try #require(classes[id.rawValue].column(named: "text"))
        let key = try #require(classes[id.rawValue].column(named: "id"))
        classes[id.rawValue].columns[column.rawValue].index = .outdatedFullText
        let schema = StoreSchema(classes: classes, version: stored.version, steps: stored.steps)
        let tree = WorkingTree(schema: schema, account: NodeAccount())
        for (number, text) in texts.enumerated() {
            let row = tree.createRow(id)
            tree.set(.int(Int64(number)), id, row, key)
            tree.set(.string(text), id, row, column)
        }
        let copied = tree.capture(version: .zero.next)
        try StoreCopy(of: copied, to: POSIXFileSystem(), directory: path).write()
    }

    private static func find(_ realm: Realm, _ search: String) throws -> [Int] {
        let pages = realm.objects(Page.self)
        let either = pages.where { $0.text.fullText(search) || $0.id == -1 }
        let found = pages.where { $0.text.fullText(search) }
        #expect(either.map(\.id) == found.map(\.id) && found.count == found.map(\.id).count)
        return found.map(\.id)
    }

    /// What searches find, and in which order the best come.
    private static func check(_ realm: Realm) throws {
        #expect(try find(realm, "swift") == [0, 3, 4])
        #expect(try find(realm, "swift -actor*") == [3, 4])
        #expect(try find(realm, "\"swift actors\"") == [0])
        #expect(try find(realm, "-swift") == [1, 2, 5])
        let ranked = try realm.objects(Page.self).search("swift actor*", in: \.text)
        #expect(ranked.map(\.id) == [0])
    }

    private static func order(_ realm: Realm) throws -> [Int] {
        try realm.objects(Page.self).sorted(byRelevanceTo: "swift stage ma*", in: \.text)
            .map(\.id)
    }

    @Test func whoOnlyReadsLooksAtTheTexts() async throws {
        try await withStorePath { path in
            try await Self.makeStore(path)
            let realm = try await Self.open(path, readOnly: true)
            try Self.check(realm)
            let explained = realm.objects(Page.self).where { $0.text.fullText("swift") }.explain()
            #expect(!explained.contains("index seek"), "\(explained)")
            let fresh = try await freshRealm([Page.self])
            try await fresh.write { tx in
                for (id, text) in Self.texts.enumerated() {
                    try tx.create(Page.self, value: ["id": id, "text": text])
                }
            }
            #expect(try Self.order(realm) == Self.order(fresh))
            try await realm.close()
            #expect(try Self.isOutdated(path))
        }
    }

    /// How many words all texts have, as far as an order by relevance has found out.
    private static func wordCount(
        _ ranked: FrozenResults<Page>, _ cancellation: EvaluationCancellation
    ) -> Int? {
        guard case .rank(let relevance)? = ranked._plan.query.stages.last else { return nil }
        let search = relevance.search
        let terms = search.units.flatMap { search.terms(of: $0) }
        let rows = ranked._plan.context.view.classView(relevance.classID)
        return TermStatistics(of: terms, in: relevance.texts, rows, cancellation).entryCount
    }

    /// A scan of all texts ran to its end after its task was cancelled.
    @Test func whatIsRareIsNotLookedForInACancelledTask() async throws {
        try await withStorePath { path in
            try await Self.makeStore(path)
            let realm = try await Self.open(path, readOnly: true)
            let ranked = try realm.objects(Page.self).search("swift actor*", in: \.text)
            let all = Self.wordCount(ranked, .cooperative)
            #expect(all == 11 && all == Self.wordCount(ranked, .ignored))
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                return (
                    Self.wordCount(ranked, .cooperative), Self.wordCount(ranked, .ignored)
                )
            }
            task.cancel()
            let (some, whole) = await task.value
            #expect(some == 0 && whole == all)
            try await realm.close()
        }
    }

    @Test func whoWritesMakesTheIndexAnew() async throws {
        try await withStorePath { path in
            try await Self.makeStore(path)
            for round in 0..<3 {
                let realm = try await Self.open(path)
                try Self.check(realm)
                let found = realm.objects(Page.self).where { $0.text.fullText("swift") }
                let explained = found.explain()
                #expect(explained.contains("index seek on text"), "\(explained)")
                #expect(try await realm.verify().isIntact)
                let version = realm.snapshot().version
                if round == 1 { try await realm.compact() }
                try await realm.close()
                // Behind the first opening there is nothing more to do.
                let again = try await Self.open(path)
                #expect(again.snapshot().version == version)
                try await again.close()
            }
            #expect(try !Self.isOutdated(path))
        }
    }
}
