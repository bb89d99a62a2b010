import Foundation
import RealmActors
import StorageHarness
import Testing

/// Orders by relevance, compared with scores that are computed naively.
@Suite struct RelevanceTests {
    /// Random articles, which are few enough for the obvious way.
    private static func corpus(
        _ random: inout some RandomNumberGenerator
    ) -> [(text: String, summary: String?)] {
        (0..<Int.random(in: 1...60, using: &random)).map { _ in
            (SearchText.make(&random) ?? "", SearchText.make(&random))
        }
    }

    private static func realm(
        _ corpus: [(text: String, summary: String?)]
    ) async throws -> Realm {
        let realm = try await freshRealm([Article.self])
        try await realm.write { tx in
            for (id, article) in corpus.enumerated() {
                let new = try tx.create(
                    Article.self, value: ["id": id, "text": article.text, "title": "\(id % 3)"])
                new.summary = article.summary
            }
        }
        return realm
    }

    /// Whether objects stand in the order of their scores; of those that are alike, as they stood.
    private static func isOrdered(
        _ ids: [Int], by scores: [NaiveSearch.Score], from order: [Int]
    ) -> Bool {
        let places = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
        return zip(ids, ids.dropFirst()).allSatisfy { a, b in
            let (one, other) = (scores[a], scores[b])
            if abs(one.value - other.value) > 1e-9 { return one.value > other.value }
            return one.figures != other.figures || places[a, default: 0] < places[b, default: 0]
        }
    }

    @Test func randomCorporaAgreeWithTheNaiveScores() async throws {
        var random = SeededGenerator()
        let seed = random.seed
        for round in 0..<12 {
            let corpus = Self.corpus(&random)
            let realm = try await Self.realm(corpus)
            let articles = realm.objects(Article.self)
            let all = Array(corpus.indices)
            for _ in 0..<8 {
                // The frequency of a long prefix is only known for the part that entries contain.
                let search = SearchText.search(&random, longBeginnings: false)
                let naive = NaiveSearch(search)
                let texts = corpus.map { [$0.text] }
                let both = corpus.map { [$0.text] + ($0.summary.map { [$0] } ?? []) }
                let note: Comment = "SEED=\(seed), round \(round), '\(search)'"
                let one = try articles.search(search, in: \.text).map(\.id)
                #expect(one.sorted() == all.filter { naive.matches(texts[$0]) }, note)
                #expect(Self.isOrdered(one, by: naive.scores(texts), from: all), note)
                let two = try articles.search(search, in: \.text, \.summary)
                #expect(two.map(\.id).sorted() == all.filter { naive.matches(both[$0]) }, note)
                #expect(two.count == two.map(\.id).count && two.first?.id == two.map(\.id).first)
                #expect(Self.isOrdered(two.map(\.id), by: naive.scores(both), from: all), note)
                #expect(two.limit(3).map(\.id) == Array(two.map(\.id).prefix(3)), note)
                // Whatever is ordered, and by whatever it was before.
                let everything = try articles.sorted(by: \.title)
                    .sorted(byRelevanceTo: search, in: \.text)
                #expect(everything.count == corpus.count)
                let byTitle = articles.sorted(by: \.title).map(\.id)
                #expect(
                    Self.isOrdered(
                        everything.map(\.id), by: naive.scores(texts), from: byTitle), note)
                let some = try articles.search(search, in: ["text"]).where { $0.id > 20 }
                #expect(some.map(\.id) == one.filter { $0 > 20 }, note)
            }
        }
    }

    @Test func rareWordsCountMostAndMoreOfAWordLessAndLess() async throws {
        let realm = try await Article.realm(
            "swift swift swift swift", "swift actors", "actors", "swift and more words than that",
            "swift", "stage")
        let articles = realm.objects(Article.self)
        #expect(try articles.search("swift", in: \.text).map(\.id) == [0, 4, 1, 3])
        let either = articles.where { $0.text.fullText("swift") || $0.text.fullText("actors") }
        let ranked = try either.sorted(byRelevanceTo: "swift actors", in: \.text)
        #expect(ranked.first?.id == 1)
        #expect(try articles.search("act*", in: \.text).map(\.id) == [2, 1])
        #expect(try articles.search("\"swift actors\"", in: \.text).map(\.id) == [1])
        // The other way round it is a condition on what is ordered already.
        let sorted = try articles.search("swift", in: \.text).sorted(by: \.id, ascending: false)
        #expect(sorted.map(\.id) == [4, 3, 1, 0])
    }

    @Test func liveResultsAndTransactionsRankWhatTheySee() async throws {
        let realm = try await Article.realm("swift", "swift of many words", "rust")
        try await realm.write { tx in
            let found = try tx.objects(Article.self).search("swift", in: \.text)
            #expect(found.map(\.id) == [0, 1])
            tx.object(Article.self, forPrimaryKey: 0)?.text = "swift of so many more words"
            #expect(found.map(\.id) == [1, 0])
            try tx.create(Article.self, value: ["id": 3, "text": "swift swift"])
            #expect(found.map(\.id) == [3, 1, 0])
        }
        try await Self.rankLive(realm)
    }

    @MainActor private static func rankLive(_ realm: Realm) async throws {
        let live = try await realm.live()
        let found = try live.objects(Article.self).search("swift", in: \.text, \.summary)
        #expect(found.map(\.id) == [3, 1, 0])
        try await live.write { live.object(Article.self, forPrimaryKey: 0)?.summary = "swift" }
        #expect(found.map(\.id) == found.freeze().map(\.id))
        #expect(found.count == 3)
    }

    /// A text that the results do not show changes what is rare, and with it their order.
    @Test func streamsFollowEveryTextOfTheClass() async throws {
        var random = SeededGenerator()
        let seed = random.seed
        let realm = try await Self.realm(Self.corpus(&random))
        let queries: [@Sendable () throws -> FrozenResults<Article>] = [
            {
                try realm.objects(Article.self).search("swift* act*", in: \.text, \.summary)
                    .limit(20)
            },
            {
                try realm.objects(Article.self).where { $0.id >= 0 }
                    .sorted(byRelevanceTo: "swift actor", in: \.text)
            },
        ]
        var streams = try queries.map { try $0().changes().makeAsyncIterator() }
        var shown: [[Int]] = []
        for index in streams.indices {
            guard case .initial(let first)? = try await streams[index].next() else { return }
            shown.append(first.map(\.id))
        }
        for round in 0..<40 {
            let id = Int.random(in: 0..<70, using: &random)
            let text = SearchText.make(&random)
            try await realm.write { tx in
                let article = tx.object(Article.self, forPrimaryKey: id)
                if let article, text == nil {
                    try tx.delete(article)
                } else if let article {
                    if id % 2 == 0 { article.text = text ?? "" } else { article.summary = text }
                } else {
                    try tx.create(Article.self, value: ["id": id, "text": text ?? ""])
                }
            }
            for index in streams.indices {
                let newest = try queries[index]().map(\.id)
                while shown[index] != newest {
                    guard
                        case .update(let next, let deletions, let insertions, _)? =
                            try await streams[index].next()
                    else { return }
                    for position in deletions.reversed() { shown[index].remove(at: position) }
                    for position in insertions {
                        shown[index].insert(next[position].id, at: position)
                    }
                    #expect(shown[index] == next.map(\.id), "SEED=\(seed), round \(round)")
                }
            }
        }
    }

    @Test func whatCannotBeRankedIsRefused() async throws {
        let realm = try await Article.realm("swift")
        let articles = realm.objects(Article.self)
        #expect(throws: RealmError.self) { try articles.search("...", in: \.text) }
        #expect(throws: RealmError.self) { try articles.search("swift", in: \.title) }
        #expect(throws: RealmError.self) { try articles.search("swift", in: ["id"]) }
        #expect(throws: RealmError.self) { try articles.search("swift", in: [String]()) }
        #expect(throws: RealmError.self) { try articles.search("swift", in: \.next?.title) }
        #expect(throws: RealmError.self) { try articles.search("swift", in: \.text, \.next?.text) }
        #expect(try articles.search("swift", in: \.text).sorted(by: \.id).limit(1).count == 1)
    }

    @Test func aQueryInTextRanksAsWell() async throws {
        let realm = try await Article.realm("swift", "rust", "swift swift", "go", "swift go")
        let articles = realm.objects(Article.self)
        let expected = try articles.search("swift", in: \.text).map(\.id)
        let text = "text TEXT 'swift' RANK(text, 'swift')"
        #expect(expected.count == 3 && expected != expected.sorted())
        #expect(try articles.filter(text).map(\.id) == expected)
        #expect(
            try articles.filter("text TEXT %@ rank(%K, %@)", "swift", "text", "swift").map(\.id)
                == expected)
        #expect(
            try articles.filter("text TEXT 'swift' RANK(text, %@) LIMIT(1)", "swift").map(\.id)
                == Array(expected.prefix(1)))
        let explained = try articles.filter(text).explain()
        #expect(explained.contains(text), "\(explained)")
        for mistake in [
            "RANK()", "RANK(text)", "RANK(text,)", "RANK('swift')", "RANK(text, 3)",
            "RANK(text 'swift')", "RANK(id, 'swift')", "RANK(text, '...')", "RANK(none, 'swift')",
            "RANK(text, next.text, 'swift')", "RANK(text, 'swift', text)", "RANK(text, %@)",
        ] {
            do throws(RealmError) {
                _ =
                    mistake.contains("%@")
                    ? try articles.filter("id > 0 \(mistake)", 5)
                    : try articles.filter("id > 0 \(mistake)")
                Issue.record("\(mistake) is taken")
            } catch {
                guard case .invalidQuery(_, let position?) = error else {
                    Issue.record("\(mistake): \(error)")
                    continue
                }
                #expect(position >= 7, "\(mistake): \(error)")
            }
        }
    }

    @Test func anExplanationNamesTheOrder() async throws {
        let realm = try await Article.realm("swift", "rust")
        let found = try realm.objects(Article.self).search("swift", in: \.text, \.summary).limit(5)
        let text = found.explain()
        #expect(text.contains("{text, summary} TEXT 'swift'"), "\(text)")
        #expect(text.contains("RANK(text, summary, 'swift')"), "\(text)")
        #expect(text.contains("sort: by relevance of text, summary to 'swift'"), "\(text)")
        // Long texts are shortened, as those of conditions are.
        let words = Array(repeating: "swift", count: 20).joined(separator: " ")
        let long = try realm.objects(Article.self).search(words, in: \.text).explain()
        #expect(long.contains("sort: by relevance of text to 'swift swift"), "\(long)")
        #expect(!long.contains(words), "\(long)")
    }
}
