import RealmActors
import Testing

/// Searches in several properties of one object.
@Suite struct SeveralPropertiesTests {
    private static func realm() async throws -> Realm {
        let realm = try await Article.realm("swift", "actors", "swift actors", "rust", "")
        try await realm.write { tx in
            let articles = (0..<5).compactMap { tx.object(Article.self, forPrimaryKey: $0) }
            articles[0].summary = "Actors on a stage"
            articles[1].summary = "rust"
            articles[3].summary = "ios"
            articles[4].next = articles[0]
        }
        return realm
    }

    @Test func eachWordIsInOneOfThem() async throws {
        let articles = try await Self.realm().objects(Article.self)
        func found(_ search: String) throws -> [Int] {
            let typed = articles.where { $0.text.fullText(search, alsoIn: $0.summary) }
            let written = try articles.filter("{text, summary} TEXT $0", search)
            #expect(typed.map(\.id) == written.map(\.id) && typed.count == written.map(\.id).count)
            return typed.map(\.id)
        }
        #expect(try found("swift actors") == [0, 2])
        #expect(try found("actors -rust") == [0, 2])
        #expect(try found("rust") == [1, 3])
        #expect(try found("\"swift actors\"") == [2])
        #expect(try found("\"actors on\"") == [0])
        #expect(try found("-swift") == [1, 3, 4])
        #expect(try found("sw* st*") == [0])
    }

    @Test func linkedObjectsAreSearchedAsWholes() async throws {
        let articles = try await Self.realm().objects(Article.self)
        let typed = articles.where { $0.next.text.fullText("swift stage", alsoIn: $0.next.summary) }
        #expect(typed.map(\.id) == [4])
        let written = try articles.filter("{next.text, next.summary} TEXT 'swift stage'")
        #expect(written.map(\.id) == [4])
        #expect(written.explain().contains("{next.text, next.summary} TEXT 'swift stage'"))
        #expect(try articles.filter("NOT {text, summary} TEXT 'swift'").map(\.id) == [1, 3, 4])
    }

    @Test func propertiesOfDifferentObjectsAreRefused() async throws {
        let articles = try await Self.realm().objects(Article.self)
        for query in [
            "{text, next.text} TEXT 'swift'", "{text, title} TEXT 'swift'", "{text} == 'swift'",
            "{text, 'a'} TEXT 'swift'", "text IN {text, summary}", "{} TEXT 'swift'",
            "{text, summary} TEXT 3", "1 + {text} TEXT 'a'", "{text, summary}",
        ] {
            #expect(throws: RealmError.self, "\(query)") { try articles.filter(query) }
        }
        #expect(try articles.filter("{text} TEXT 'swift'").map(\.id) == [0, 2])
        let strange = articles.where { $0.text.fullText("swift", alsoIn: $0.next.text) }
        #expect(strange.isEmpty)
    }
}
