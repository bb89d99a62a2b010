import Foundation
import RealmActors
import StorageHarness
import Testing

/// Results page by page.
@Suite struct PageTests {
    final class Sheet: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted(indexed: true) var title: String?
        @Persisted(indexed: true) var rank: Int
        @Persisted var weight: Double
        @Persisted var isRead: Bool
        @Persisted var day: Date?
        @Persisted var any: AnyRealmValue
        @Persisted var next: Sheet?
        @Persisted var others: List<Sheet>
    }

    /// Has indexes that begin with what others are by alone.
    final class Slip: Object, IndexedModel {
        @Persisted(primaryKey: true) var id: Int
        @Persisted(indexed: true) var rank: Int
        @Persisted var weight: Double
        @Persisted var name: String

        static var indexes: [Index<Slip>] {
            [
                Index(\.rank, \.weight),
                Index(.ascending(\.name, collation: .people), .ascending(\.weight)),
                Index(\.name, collation: .people),
            ]
        }
    }

    private static func fill(_ tx: WriteTransaction, _ count: Int) throws {
        var random = SeededGenerator()
        func few(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
        let weights = [0, -0.0, 1.5, -2, .nan, .infinity, 7]
        let titles = ["", "a", "ab", "a\u{0}", "abcdefghi", "abcdefgh", "Z", "\u{E9}"]
        var made: [Sheet] = []
        for _ in 0..<count {
            let sheet = Sheet()
            sheet.id = made.count * 7 % 1_009
            sheet.title = few(5) == 0 ? nil : titles[few(titles.count)]
            sheet.rank = few(6)
            sheet.weight = weights[few(weights.count)]
            sheet.isRead = few(2) == 0
            sheet.day = few(4) == 0 ? nil : Date(timeIntervalSinceReferenceDate: Double(few(5)))
            sheet.any = few(3) == 0 ? .none : few(2) == 0 ? .int(few(3)) : .string("\(few(3))")
            sheet.next = few(4) == 0 ? nil : made.randomElement(using: &random)
            try tx.add(sheet)
            made.append(sheet)
        }
    }

    /// All pages, from the first one on.
    private func pages<R: QueryableResults>(
        _ results: R, limit: Int
    ) throws -> [ResultsPage<R>] {
        var pages = [try results.page(limit: limit)]
        while let cursor = pages[pages.count - 1].next {
            // As a client sends it back.
            let coded = try JSONEncoder().encode([cursor])
            let again = try JSONDecoder().decode([PageCursor].self, from: coded)[0]
            #expect(again == cursor && PageCursor("\(cursor)") == cursor)
            pages.append(try results.page(after: again, limit: limit))
        }
        return pages
    }

    @Test func pagesMakeUpTheResultsInEveryOrder() async throws {
        var random = SeededGenerator()
        let seed = random.seed
        try await withFreshRealm([Sheet.self]) { realm in
            try await realm.write { tx in try Self.fill(tx, 400) }
            let names = ["title", "rank", "weight", "isRead", "day", "any", "next.title", "id"]
            for number in 0..<60 {
                let keys = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                    SortDescriptor(
                        keyPath: names.randomElement(using: &random) ?? "id",
                        ascending: Bool.random(using: &random))
                }
                let limit = Int.random(in: 1...90, using: &random)
                var results = try realm.objects(Sheet.self).sorted(by: keys)
                if number % 3 == 0 { results = results.where { $0.rank > 2 } }
                if number % 10 == 0 { results = results.distinct(by: [\.rank, \.title]) }
                if number % 11 == 0 { results = results.limit(100) }
                if number % 13 == 0 { results = results.sorted(by: \.isRead) }
                let whole = results.map { $0.id }
                let comment: Comment = "SEED=\(seed), \(number): \(keys), limit \(limit)"
                let found = try pages(results, limit: limit)
                #expect(found.flatMap { $0.objects.map { $0.id } } == whole, comment)
                #expect(found.dropLast().allSatisfy { $0.objects.count == limit }, comment)
                #expect(whole.isEmpty || !found[found.count - 1].objects.isEmpty, comment)
                let offset = Int.random(in: 0...whole.count + 3, using: &random)
                let numbered = try results.page(offset: offset, limit: limit).objects
                #expect(numbered.map { $0.id } == Array(whole.dropFirst(offset).prefix(limit)))
            }
        }
    }

    @MainActor @Test func pagesOfLiveObjectsAreTheSame() async throws {
        try await withFreshRealm([Sheet.self]) { realm in
            try await realm.write { tx in
                try Self.fill(tx, 100)
                let results = tx.objects(Sheet.self).sorted(by: \.title)
                let whole = Array(results.map { $0.id })
                #expect(try pages(results, limit: 9).flatMap { $0.objects.map { $0.id } } == whole)
            }
            let live = try await realm.live()
            let results = live.objects(Sheet.self).where { $0.rank < 5 }.sorted(by: \.weight)
            let whole = Array(results.map { $0.id })
            #expect(try pages(results, limit: 9).flatMap { $0.objects.map { $0.id } } == whole)
        }
    }

    /// What a position in the results would do.
    @Test func insertionsAndDeletionsMoveNothingFromPageToPage() async throws {
        try await withFreshRealm([Sheet.self]) { realm in
            try await realm.write { tx in
                for id in 0..<100 { _ = try tx.create(Sheet.self, value: ["id": id, "rank": id]) }
            }
            for ascending in [true, false] {
                let first = try realm.objects(Sheet.self)
                    .sorted(by: \.rank, ascending: ascending).page(limit: 10)
                let last = try #require(first.objects.last)
                try await realm.write { tx in
                    // The last one of the page, others in front, and one new at each end.
                    let deleted = first.objects.suffix(3).compactMap { tx.resolve($0.reference) }
                    for sheet in deleted { try tx.delete(sheet) }
                    _ = try tx.create(Sheet.self, value: ["id": 1_000 + last.id, "rank": -5])
                    _ = try tx.create(Sheet.self, value: ["id": 2_000 + last.id, "rank": 500])
                }
                let second = try realm.objects(Sheet.self)
                    .sorted(by: \.rank, ascending: ascending).page(after: first.next, limit: 10)
                let expected = (1...10).map { last.rank + (ascending ? $0 : -$0) }
                #expect(second.objects.map { $0.rank } == expected)
            }
        }
    }

    @Test func anIndexAndTheOrderOfCreationAreSought() async throws {
        try await withFreshRealm([Sheet.self]) { realm in
            try await realm.write { tx in
                for id in 0..<3_000 {
                    _ = try tx.create(Sheet.self, value: ["id": id, "rank": id])
                }
            }
            let sheets = realm.objects(Sheet.self)
            let middle = try sheets.sorted(by: \.rank).page(offset: 2_000, limit: 20)
            let next = try sheets.sorted(by: \.rank).page(after: middle.next, limit: 20).objects
            #expect(next.map { $0.rank } == Array(2_020..<2_040))
            let plan = next.explain()
            #expect(plan.contains("index scan on rank"), "\(plan)")
            // The index has the beginning of the page; no object is examined.
            #expect(plan.contains("read 20 index entries, scanned 0 of 3000"), "\(plan)")
            let created = try sheets.page(offset: 2_990, limit: 20)
            #expect(created.objects.map { $0.id } == Array(2_990..<3_000) && created.next == nil)
        }
    }

    /// Objects that are all equal in the order: a page does not iterate over those of the pages
    /// before, in both directions and with a condition that no index answers.
    @Test(arguments: [true, false])
    func objectsThatAreEqualAreNotReadAgain(_ ascending: Bool) async throws {
        try await withFreshRealm([Sheet.self]) { realm in
            try await realm.write { tx in
                for id in 0..<3_000 {
                    _ = try tx.create(
                        Sheet.self, value: ["id": id, "rank": 7, "title": id < 2_900 ? "x" : "y"])
                }
            }
            let sheets = realm.objects(Sheet.self).sorted(by: \.rank, ascending: ascending)
            let middle = try sheets.page(offset: 2_000, limit: 20)
            #expect(middle.objects.map { $0.id } == Array(2_000..<2_020))
            let next = try sheets.page(after: middle.next, limit: 20).objects
            #expect(next.map { $0.id } == Array(2_020..<2_040))
            #expect(next.explain().contains("read 20 index entries, scanned 0 of 3000"))
            let late = try sheets.where { $0.title == "x" }.page(after: middle.next, limit: 20)
            #expect(late.objects.map { $0.id } == Array(2_020..<2_040))
            #expect(late.objects.explain().contains("scanned 20 of 3000"))
        }
    }

    /// Among those that have no value, which come last in a descending order, each page took a look
    /// at all objects.
    @Test(arguments: [true, false])
    func anIndexFindsWhereAPageAmongNilsBegins(_ ascending: Bool) async throws {
        try await withFreshRealm([Sheet.self]) { realm in
            try await realm.write { tx in
                for id in 0..<3_000 {
                    let sheet = Sheet()
                    (sheet.id, sheet.title) = (id, id % 3 == 0 ? "x" : nil)
                    try tx.add(sheet)
                }
            }
            let sheets = realm.objects(Sheet.self).sorted(by: \.title, ascending: ascending)
            let ids = sheets.values(of: \.id)
            let middle = try sheets.page(offset: 1_500, limit: 20)
            let next = try sheets.page(after: middle.next, limit: 20).objects
            #expect(next.map { $0.id } == Array(ids[1_520..<1_540]))
            #expect(next.allSatisfy { $0.title == nil })
            let plan = next.explain()
            #expect(plan.contains("read 20 index entries, scanned 0 of 3000"), "\(plan)")
        }
    }

    /// An index of several properties that begins with that of the order was preferred to the one
    /// of that property alone, and all objects with the values of the cursor were read.
    @Test(arguments: [true, false])
    func anIndexWithoutFurtherPropertiesIsTakenFirst(_ ascending: Bool) async throws {
        try await withFreshRealm([Slip.self]) { realm in
            try await realm.write { tx in
                for id in 0..<3_000 {
                    let value: [String: Any] = [
                        "id": id, "rank": 7, "weight": Double(-id), "name": "x",
                    ]
                    try tx.create(Slip.self, value: value)
                }
            }
            let slips = realm.objects(Slip.self)
            for sorted in [
                slips.sorted(by: \.rank, ascending: ascending),
                slips.sorted(by: \.name, collation: .people, ascending: ascending),
            ] {
                let middle = try sorted.page(offset: 2_000, limit: 20)
                let next = try sorted.page(after: middle.next, limit: 20).objects
                #expect(next.map { $0.id } == Array(2_020..<2_040))
                let plan = next.explain()
                #expect(plan.contains("read 20 index entries, scanned 0 of 3000"), "\(plan)")
            }
        }
    }

    @Test func whatIsNoPageIsRefused() async throws {
        try await withFreshRealm([Sheet.self]) { realm in
            try await realm.write { tx in try Self.fill(tx, 30) }
            let sheets = realm.objects(Sheet.self)
            let cursor = try sheets.sorted(by: \.title).page(limit: 3).next
            func isRefused(_ body: () throws -> Void) -> Bool {
                do {
                    try body()
                    return false
                } catch {
                    guard case RealmError.invalidQuery = error else { return false }
                    return true
                }
            }
            #expect(isRefused { _ = try sheets.page(limit: 0) })
            #expect(isRefused { _ = try sheets.page(offset: -1, limit: 1) })
            // Behind the last object it was an empty page.
            for offset in [0, 1, 30, 31] {
                #expect(isRefused { _ = try sheets.page(offset: offset, limit: 0) })
            }
            #expect(isRefused { _ = try sheets.page(after: cursor, limit: 3) })
            #expect(isRefused { _ = try sheets.sorted(by: \.rank).page(after: cursor, limit: 3) })
            #expect(
                isRefused {
                    _ = try sheets.sorted(by: \.title, ascending: false)
                        .page(after: cursor, limit: 3)
                })
            #expect(isRefused { _ = try sheets[0].others.sorted(by: \.id).page(limit: 3) })
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode([PageCursor].self, from: Data(#"["x"]"#.utf8))
            }
        }
    }

    /// A cursor comes back from outside.
    @Test func changedCursorsAreRefusedOrPlaces() async throws {
        var random = SeededGenerator()
        let seed = random.seed
        try await withFreshRealm([Sheet.self]) { realm in
            try await realm.write { tx in try Self.fill(tx, 60) }
            for name in ["title", "weight", "any", "next.title"] {
                let sheets = try realm.objects(Sheet.self).sorted(by: [
                    SortDescriptor(keyPath: name)
                ])
                let cursor = try #require(try sheets.page(limit: 30).next)
                for _ in 0..<300 {
                    var text = Array("\(cursor)")
                    for _ in 0..<Int.random(in: 1...3, using: &random) {
                        let place = Int.random(in: 0..<text.count, using: &random)
                        if Bool.random(using: &random) {
                            text[place] = "AQgw-_9".randomElement(using: &random) ?? "A"
                        } else {
                            text.remove(at: place)
                        }
                    }
                    guard let changed = PageCursor(String(text)) else { continue }
                    guard let page = try? sheets.page(after: changed, limit: 100) else { continue }
                    #expect(page.objects.count <= 60, "SEED=\(seed) \(name): \(String(text))")
                }
            }
        }
    }
}
