import Foundation
import RealmActors
import StorageHarness
import Testing

/// Orders by relevance page by page.
@Suite struct RelevancePageTests {
    /// Texts of objects.
    private static func texts(
        _ random: inout SeededGenerator
    ) -> [(text: String, summary: String?)] {
        (0..<40).map { _ in (SearchText.make(&random) ?? "", SearchText.make(&random)) }
    }

    private static func fill(
        _ realm: Realm, _ texts: [(text: String, summary: String?)]
    ) async throws {
        try await realm.write { tx in
            for (id, made) in texts.enumerated() {
                let article = try tx.create(
                    Article.self, value: ["id": id, "text": made.text, "title": "\(id % 3)"])
                article.summary = made.summary
            }
        }
    }

    /// The numbers of all pages, from the first one on.
    private static func paged<R: QueryableResults<Article>>(
        _ results: R, limit: Int
    ) throws -> [Int] {
        var ids: [Int] = []
        var cursor: PageCursor?
        repeat {
            let page = try results.page(after: cursor, limit: limit)
            ids += page.objects.values(of: \.id)
            // As a client sends it back.
            let coded = try JSONEncoder().encode([page.next])
            cursor = try JSONDecoder().decode([PageCursor?].self, from: coded)[0]
            #expect(cursor == page.next)
        } while cursor != nil && ids.count < 1_000
        return ids
    }

    @Test func pagesMakeUpTheResultsOfOneVersion() async throws {
        var random = SeededGenerator()
        let seed = random.seed
        let texts = Self.texts(&random)
        try await withFreshRealm([Article.self]) { realm in
            try await Self.fill(realm, texts)
            let articles = realm.objects(Article.self)
            for round in 0..<6 {
                let search = SearchText.search(&random)
                let limit = Int.random(in: 3...30, using: &random)
                let note: Comment = "SEED=\(seed), \(round): '\(search)', limit \(limit)"
                let both = try articles.sorted(byRelevanceTo: search, in: \.text, \.summary)
                let orders = [
                    both, try articles.search(search, in: \.text), both.where { $0.id > 15 },
                    try articles.sorted(by: \.title, ascending: false)
                        .sorted(byRelevanceTo: search, in: \.summary),
                    both.sorted(by: \.title), both.distinct(by: [\.text]), both.limit(21),
                    try both.sorted(byRelevanceTo: "swift", in: \.summary),
                    try articles.filter("id > 9 RANK(summary, 'swift act*') SORT(title DESC)"),
                ]
                for results in orders {
                    let whole = results.map { $0.id }
                    #expect(try Self.paged(results, limit: limit) == whole, note)
                    let offset = Int.random(in: 0...whole.count, using: &random)
                    let numbered = try results.page(offset: offset, limit: limit).objects
                    #expect(
                        numbered.map { $0.id } == Array(whole.dropFirst(offset).prefix(limit)),
                        note)
                    // Whoever evaluates the page.
                    #expect(numbered.where { $0.id >= 0 }.map { $0.id } == numbered.map { $0.id })
                }
            }
        }
    }

    @MainActor @Test func pagesOfLiveObjectsAreTheSame() async throws {
        var random = SeededGenerator()
        let texts = Self.texts(&random)
        try await withFreshRealm([Article.self]) { realm in
            try await Self.fill(realm, texts)
            try await realm.write { tx in
                tx.object(Article.self, forPrimaryKey: 7)?.text = "swift swift"
                let found = try tx.objects(Article.self).search("swift", in: \.text)
                #expect(try Self.paged(found, limit: 4) == Array(found.map { $0.id }))
            }
            let live = try await realm.live()
            let found = try live.objects(Article.self).search("swift*", in: \.text, \.summary)
            #expect(try Self.paged(found, limit: 7) == Array(found.map { $0.id }))
        }
    }

    /// A version in which other words are rare than in that of the cursor.
    @Test func aCursorGoesOnBehindItsScoreInLaterVersions() async throws {
        var random = SeededGenerator()
        let seed = random.seed
        let texts = Self.texts(&random)
        try await withFreshRealm([Article.self]) { realm in
            try await Self.fill(realm, texts)
            for round in 0..<6 {
                let search = SearchText.search(&random, longBeginnings: false)
                let naive = NaiveSearch(search)
                let before = realm.objects(Article.self)
                let first = try before.sorted(byRelevanceTo: search, in: \.text).page(limit: 15)
                let last = try #require(first.objects.last)
                let place = try #require(before.firstIndex(where: { $0.id == last.id }))
                let held = naive.scores(before.map { [$0.text] })[place].value
                let (deleted, fresh) = (last.id, 1_000 + round)
                let text = SearchText.make(&random) ?? "swift"
                try await realm.write { tx in
                    if let object = tx.object(Article.self, forPrimaryKey: deleted) {
                        try tx.delete(object)
                    }
                    try tx.create(Article.self, value: ["id": fresh, "text": text])
                }
                let after = realm.objects(Article.self)
                let whole = try after.sorted(byRelevanceTo: search, in: \.text)
                let next = try whole.page(after: first.next, limit: 1_000).objects.map { $0.id }
                let scores = Dictionary(
                    uniqueKeysWithValues: zip(
                        after.map { $0.id },
                        naive.scores(after.map { [$0.text] }).map(\.value)))
                let note: Comment = "SEED=\(seed), \(round): '\(search)'"
                #expect(next == Array(whole.map { $0.id }.suffix(next.count)), note)
                // What has the very score stands before or behind by its creation.
                let behind = scores.filter { $0.value < held - 1e-9 }.map(\.key)
                let front = scores.filter { $0.value > held + 1e-9 }.map(\.key)
                #expect(Set(next).isSuperset(of: behind), note)
                #expect(Set(next).isDisjoint(with: front), note)
            }
        }
    }

    /// Nothing that is shown was written, and yet the pages that a stream shows change.
    @Test func aStreamOfAPageFollowsEveryTextOfTheClass() async throws {
        let realm = try await Article.realm(
            "swift swift", "swift", "swift actors", "swift in many more words", "rust")
        let found = { try realm.objects(Article.self).search("swift", in: \.text) }
        let first = try found().page(limit: 2)
        let page = try found().page(after: first.next, limit: 3).objects
        var stream = page.changes().makeAsyncIterator()
        guard case .initial(let shown)? = try await stream.next() else { return }
        #expect(shown.map { $0.id } == [2, 3])
        try await realm.write { tx in
            tx.object(Article.self, forPrimaryKey: 1)?.text = "a swift that is in so many words"
        }
        guard case .update(let moved, _, _, _)? = try await stream.next() else { return }
        #expect(moved.map { $0.id } == [2, 3, 1])
        #expect(try found().page(after: first.next, limit: 3).objects.map { $0.id } == [2, 3, 1])
    }

    @Test func cursorsOfOtherSearchesAreRefused() async throws {
        let realm = try await Article.realm("swift", "swift actors", "actors")
        let articles = realm.objects(Article.self)
        let cursor = try #require(
            try articles.sorted(byRelevanceTo: "swift", in: \.text).page(limit: 1).next)
        #expect("\(cursor)".utf8.count < 50)
        for other in [
            try articles.sorted(byRelevanceTo: "actors", in: \.text),
            try articles.sorted(byRelevanceTo: "swift", in: \.summary),
            try articles.sorted(byRelevanceTo: "swift", in: \.text, \.summary),
            try articles.sorted(byRelevanceTo: "swift", in: \.next?.text),
            try articles.sorted(by: \.id).sorted(byRelevanceTo: "swift", in: \.text),
            articles.sorted(by: \.text), articles,
        ] {
            #expect(throws: RealmError.self) { try other.page(after: cursor, limit: 1) }
        }
        let mine = try articles.sorted(byRelevanceTo: "swift", in: \.text)
        #expect(try mine.page(after: cursor, limit: 5).objects.count == 2)
    }

    /// With a cursor, results whose condition was refused said that the cursor is of other results.
    @Test func aRefusedConditionIsReportedRatherThanItsCursor() async throws {
        let articles = try await Article.realm("swift", "swift actors").objects(Article.self)
        let cursor = try #require(try articles.page(limit: 1).next)
        let refused = articles.where { $0.title.fullText("swift") }
        for after in [nil, cursor] {
            let error = #expect(throws: RealmError.self) {
                try refused.page(after: after, limit: 1)
            }
            guard case .invalidKeyPath(let message) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(message.contains("full-text index"))
        }
    }

    /// The number of a property was taken for a letter of the search: what an order is made of
    /// stood one behind the other, and nothing said where one part ends.
    @Test func aPropertyIsNoPartOfASearch() async throws {
        let realm = try await Article.realm("swift", "swift actors", "actors")
        let articles = realm.objects(Article.self)
        let cursor = try #require(
            try articles.sorted(byRelevanceTo: "swift", in: \.text, \.summary).page(limit: 1).next)
        for number in UInt8(0)..<32 {
            let search = "\(Unicode.Scalar(number))swift"
            let other = try articles.sorted(byRelevanceTo: search, in: \.text)
            #expect(throws: RealmError.self, "\(number)") {
                try other.page(after: cursor, limit: 1)
            }
        }
    }
}
