import RealmActors
import StorageHarness
import Testing

/// Orders by the relevance of texts that links lead to.
@Suite struct LinkedRelevanceTests {
    /// Articles, each of which may lead to one of them.
    private static func fill(
        _ realm: Realm, _ made: [(text: String, link: Int?)]
    ) async throws {
        try await realm.write { tx in
            for (id, article) in made.enumerated() {
                try tx.create(Article.self, value: ["id": id, "text": article.text])
            }
            for (id, article) in made.enumerated() {
                tx.object(Article.self, forPrimaryKey: id)?.next = article.link.flatMap {
                    tx.object(Article.self, forPrimaryKey: $0)
                }
            }
        }
    }

    private static func make(
        _ count: Int, _ random: inout SeededGenerator
    ) -> [(text: String, link: Int?)] {
        (0..<count).map { _ in
            let isNil = Int.random(in: 0..<3, using: &random) == 0
            let link = Int.random(in: 0..<count, using: &random)
            return (SearchText.make(&random) ?? "", isNil ? nil : link)
        }
    }

    @Test func whatIsLedToIsRankedAmongItsClass() async throws {
        var random = SeededGenerator()
        let seed = random.seed
        let made = Self.make(50, &random)
        try await withFreshRealm([Article.self]) { realm in
            try await Self.fill(realm, made)
            let articles = realm.objects(Article.self)
            let links = articles.map { $0.next?.id }
            for round in 0..<8 {
                let search = SearchText.search(&random, longBeginnings: false)
                let naive = NaiveSearch(search)
                let scores = naive.scores(articles.map { [$0.text] })
                let note: Comment = "SEED=\(seed), \(round): '\(search)'"
                let ranked = try articles.sorted(byRelevanceTo: search, in: \.next?.text)
                let ids = ranked.map { $0.id }
                #expect(ids.count == links.count, note)
                let isOrdered = zip(ids, ids.dropFirst()).allSatisfy { a, b in
                    let (one, other) = (links[a], links[b])
                    let x = one.map { scores[$0].value } ?? 0
                    let y = other.map { scores[$0].value } ?? 0
                    // What leads to the same, or to nothing that counts, keeps its order.
                    return one == other || x == 0 && y == 0 ? a < b : x > y - 1e-9
                }
                #expect(isOrdered, note)
                let found = try articles.search(search, in: \.next?.text)
                let texts = articles.map { $0.next?.text }
                let matching = texts.indices.filter {
                    naive.matches(texts[$0].map { [$0] } ?? [])
                }
                #expect(found.map { $0.id } == ids.filter { matching.contains($0) }, note)
                let written = try articles.filter("id >= 0 RANK(next.text, $0)", search)
                #expect(written.map { $0.id } == ids, note)
                let first = try ranked.page(limit: 9)
                let rest = try ranked.page(after: first.next, limit: 100).objects
                #expect(first.objects.map { $0.id } + rest.map { $0.id } == ids, note)
            }
            let explained = try articles.search("swift", in: \.next?.text).explain()
            #expect(explained.contains("RANK(next.text, 'swift')"), "\(explained)")
        }
    }

    @Test func streamsFollowLinksAndWhatTheyLeadTo() async throws {
        let realm = try await Article.realm("swift", "rust", "go", "swift swift", "swift and c")
        try await realm.write { tx in
            let all = (0..<5).compactMap { tx.object(Article.self, forPrimaryKey: $0) }
            all[0].next = all[1]
            all[1].next = all[3]
            all[2].next = all[4]
        }
        let query = {
            try realm.objects(Article.self).where { $0.id < 3 }
                .sorted(byRelevanceTo: "swift", in: \.next?.text)
        }
        var stream = try query().changes().makeAsyncIterator()
        guard case .initial(let shown)? = try await stream.next() else { return }
        #expect(shown.map { $0.id } == [1, 2, 0])
        // A text that is led to, which is not shown.
        try await realm.write { tx in
            tx.object(Article.self, forPrimaryKey: 3)?.text = "swift of so many more words"
        }
        guard case .update(let second, _, _, _)? = try await stream.next() else { return }
        #expect(second.map { $0.id } == [2, 1, 0])
        // Links.
        try await realm.write { tx in
            let all = (0..<5).compactMap { tx.object(Article.self, forPrimaryKey: $0) }
            all[0].next = all[4]
            all[2].next = nil
        }
        guard case .update(let third, _, _, _)? = try await stream.next() else { return }
        #expect(third.map { $0.id } == [0, 1, 2])
    }
}
