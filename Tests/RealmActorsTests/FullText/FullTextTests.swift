import Foundation
import RealmActors
import Testing

final class Article: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: .fullText) var text: String
    @Persisted(indexed: .fullText) var summary: String?
    @Persisted var title: String
    @Persisted var next: Article?

    static func fill(_ realm: Realm, _ texts: [String]) async throws {
        try await realm.write { tx in
            for (id, text) in texts.enumerated() {
                try tx.create(Article.self, value: ["id": id, "text": text])
            }
        }
    }

    static func realm(_ texts: String...) async throws -> Realm {
        let realm = try await freshRealm([Article.self])
        try await fill(realm, texts)
        return realm
    }
}

extension Realm {
    /// The numbers of the articles that a search finds, each way to ask giving the same.
    fileprivate func found(
        _ search: String, location: SourceLocation = #_sourceLocation
    ) throws -> [Int] {
        let articles = objects(Article.self)
        let typed = articles.where { $0.text.fullText(search) }
        let written = try articles.filter("text TEXT $0", search)
        #expect(typed.map(\.id) == written.map(\.id), sourceLocation: location)
        #expect(typed.count == written.map(\.id).count, sourceLocation: location)
        #expect(typed.first?.id == typed.map(\.id).first, sourceLocation: location)
        let naive = NaiveSearch(search)
        #expect(
            articles.map { $0 }.filter { naive.matches($0.text) }.map(\.id) == typed.map(\.id),
            sourceLocation: location)
        return typed.map(\.id)
    }
}

/// What full-text searches find.
@Suite struct FullTextTests {
    @Test func allWordsMustOccur() async throws {
        let realm = try await Article.realm(
            "Swift actors", "actors on a stage, swift ones", "Swift", "swiftly acting", "")
        #expect(try realm.found("swift actors") == [0, 1])
        #expect(try realm.found("swift") == [0, 1, 2])
        #expect(try realm.found("swift rust") == [])
        #expect(try realm.found("swift, actors!") == [0, 1])
    }

    /// Each pair of three ideographs was looked for anywhere.
    @Test func ideographsOfAWordStandTogether() async throws {
        let realm = try await Article.realm(
            "\u{6771}\u{4EAC}\u{3068}\u{4EAC}\u{90FD}", "\u{6771}\u{4EAC}\u{90FD}\u{5185}",
            "\u{4EAC}\u{90FD} hello", "\u{6771}\u{4EAC} hello")
        #expect(try realm.found("\u{6771}\u{4EAC}\u{90FD}") == [1])
        #expect(try realm.found("\u{6771}\u{4EAC} -\u{6771}\u{4EAC}\u{90FD}") == [0, 3])
        // One by itself is no beginning of a pair in front of another word.
        #expect(try realm.found("\"\u{4EAC} hello\"") == [3])
        #expect(try realm.found("\u{4EAC}") == [0, 1, 2, 3])
    }

    /// Words of letters beyond ASCII, and runs of ideographs, were looked for as one phrase.
    @Test func whatSignsPartIsAskedForByItself() async throws {
        let (tokyo, osaka) = ("\u{6771}\u{4EAC}", "\u{5927}\u{962A}")
        let realm = try await Article.realm(
            "\(tokyo)\u{3001}\(osaka)", "\(osaka)\u{3068}\(tokyo)", tokyo, "2020 \(tokyo)\u{90FD}",
            "\u{4EAC}\u{90FD} 2020 \(tokyo)")
        #expect(try realm.found("\(tokyo)\u{3001}\(osaka)") == [0, 1])
        #expect(try realm.found("\"\(tokyo)\u{3001}\(osaka)\"") == [0])
        #expect(try realm.found("-\(tokyo)\u{3001}\(osaka)") == [2, 3, 4])
        // The characters of one run stand together, whatever is beside them.
        #expect(try realm.found("\(tokyo)\u{90FD}2020") == [3])
        let moscow = "\u{43C}\u{43E}\u{441}\u{43A}\u{432}\u{430}"
        let omsk = "\u{43E}\u{43C}\u{441}\u{43A}"
        let cities = try await Article.realm("\(omsk), \(moscow)", "\(moscow)\u{2014}\(omsk)", omsk)
        #expect(try cities.found("\(moscow)\u{2014}\(omsk)") == [0, 1])
        #expect(try cities.found("\(moscow)\u{2014}\(omsk)*") == [0, 1])
        #expect(try cities.found("\"\(moscow)\u{2014}\(omsk)\"") == [1])
    }

    /// Every place of the first word was compared with every place of the second.
    @Test func phrasesInTextsThatRepeatThemselves() async throws {
        let text =
            String(repeating: "to x ", count: 60_000) + String(repeating: "be y ", count: 60_000)
        let realm = try await freshRealm([Article.self])
        try await Article.fill(realm, [text, text + "to be"])
        let found = realm.objects(Article.self).where { $0.text.fullText("\"to be\"") }
        #expect(found.map(\.id) == [1])
    }

    @Test func aMinusExcludesAndAStarAsksForABeginning() async throws {
        let realm = try await Article.realm(
            "swift actors", "swift on ios", "swiftly", "internationalization of swift",
            "internationalisation")
        #expect(try realm.found("swift -ios") == [0, 3])
        #expect(try realm.found("swift*") == [0, 1, 2, 3])
        #expect(try realm.found("sw* -act*") == [1, 2, 3])
        #expect(try realm.found("-swift") == [2, 4])
        #expect(try realm.found("internationalization") == [3])
        #expect(try realm.found("international*") == [3, 4])
        #expect(try realm.found("internationalis*") == [4])
        #expect(try realm.found("swift -internationalization") == [0, 1])
    }

    @Test func phrasesAskForWordsOneBehindTheOther() async throws {
        let realm = try await Article.realm(
            "structured concurrency in swift", "concurrency, structured", "structured  Concurrency")
        #expect(try realm.found("\"structured concurrency\"") == [0, 2])
        #expect(try realm.found("\"structured concurrency\" -swift") == [2])
        #expect(try realm.found("-\"structured concurrency\" structured") == [1])
        #expect(try realm.found("\"concurrency in sw*\"") == [0])
    }

    @Test func caseAndDiacriticalMarksMakeNoDifference() async throws {
        let realm = try await Article.realm(
            "\u{C9}t\u{E9}", "e\u{301}te\u{301}", "ETE",
            "\u{41C}\u{43E}\u{441}\u{43A}\u{432}\u{410}")
        #expect(try realm.found("ete") == [0, 1, 2])
        #expect(try realm.found("\u{E9}T\u{C9}") == [0, 1, 2])
        #expect(
            try realm.found("\u{43C}\u{43E}\u{441}\u{43A}\u{432}\u{430}") == [3])
        let sharp = try await Article.realm("Stra\u{DF}e", "STRASSE")
        let streets = sharp.objects(Article.self).where { $0.text.fullText("strasse") }
        #expect(streets.map(\.id) == [0, 1])
    }

    @Test func ideographsAreFoundByAnyRunOfThem() async throws {
        let realm = try await Article.realm(
            "\u{6771}\u{4EAC}\u{90FD} Tower", "\u{4EAC}\u{90FD}", "\u{6771}")
        #expect(try realm.found("\u{6771}\u{4EAC}") == [0])
        #expect(try realm.found("\u{4EAC}\u{90FD}") == [0, 1])
        #expect(try realm.found("\u{90FD}") == [0, 1])
        #expect(try realm.found("\u{6771}") == [0, 2])
        #expect(try realm.found("\"\u{4EAC}\u{90FD} tower\"") == [0])
    }

    @Test func emojiSeparateAndVeryLongWordsAreWords() async throws {
        let long = String(repeating: "a", count: 100_000)
        let realm = try await Article.realm(
            "cat\u{1F408}dog", "\u{1F408}", "...!?", long, long + "b")
        #expect(try realm.found("cat") == [0])
        #expect(try realm.found("dog") == [0])
        #expect(try realm.found(long) == [3])
        #expect(try realm.found("aaaaaaaaaaa*") == [3, 4])
        #expect(try realm.found("don't \u{1F408} cat") == [])
    }

    @Test func nilHasNoWords() async throws {
        let realm = try await Article.realm("one", "two")
        try await realm.write { tx in
            tx.object(Article.self, forPrimaryKey: 0)?.summary = "short"
        }
        let articles = realm.objects(Article.self)
        #expect(articles.where { $0.summary.fullText("short") }.map(\.id) == [0])
        #expect(articles.where { $0.summary.fullText("-long") }.map(\.id) == [0])
        #expect(articles.where { !$0.summary.fullText("short") }.map(\.id) == [1])
        try await realm.write { tx in
            tx.object(Article.self, forPrimaryKey: 0)?.summary = nil
        }
        #expect(realm.objects(Article.self).where { $0.summary.fullText("short") }.isEmpty)
        #expect(try await realm.verify().isIntact)
    }

    @Test func aSearchNeedsAWordAndAnIndex() async throws {
        let realm = try await Article.realm("one")
        let articles = realm.objects(Article.self)
        for search in ["", " ", "... -!", "\"\""] {
            #expect(throws: RealmError.self) { try articles.filter("text TEXT $0", search) }
        }
        for query in ["title TEXT 'a'", "id TEXT 'a'", "text TEXT 3", "text TEXT title"] {
            #expect(throws: RealmError.self, "\(query)") { try articles.filter(query) }
        }
    }

    @Test func severalPropertiesAndLinksAreSearched() async throws {
        let realm = try await Article.realm("alpha", "beta", "gamma")
        try await realm.write { tx in
            let articles = (0..<3).compactMap { tx.object(Article.self, forPrimaryKey: $0) }
            articles[2].summary = "more of alpha"
            articles[0].next = articles[1]
        }
        let articles = realm.objects(Article.self)
        let either = articles.where { $0.text.fullText("alpha") || $0.summary.fullText("alpha") }
        #expect(either.map(\.id) == [0, 2] && either.count == 2)
        #expect(either.explain().contains("index seek on text (2 of 3"))
        #expect(articles.where { $0.next.text.fullText("bet*") }.map(\.id) == [0])
        #expect(articles.where { $0.text.fullText("alpha") && $0.id > 0 }.isEmpty)
        #expect(
            articles.where { $0.text.fullText("alpha") }.explain()
                .contains("index seek on text (1 of 3 objects)"))
    }

    /// The hint was to declare an index of the values, in place of which the property has one of
    /// its words.
    @Test func noHintTakesTheIndexAway() async throws {
        let realm = try await Article.realm()
        try await realm.write { tx in
            for id in 0..<1_000 {
                try tx.create(Article.self, value: ["id": id, "text": "\(id)"])
            }
        }
        let articles = realm.objects(Article.self)
        #expect(!articles.where { $0.text == "7" }.explain().contains("hint"))
        #expect(articles.where { $0.title == "7" }.explain().contains("hint"))
    }

    /// The closure of a query trapped where text has an error.
    @Test func aSearchWithoutAnIndexFindsNothingAndSaysWhy() async throws {
        let articles = try await Article.realm("swift").objects(Article.self)
        let results = [
            articles.where { $0.title.fullText("swift") },
            articles.where { $0.next.title.fullText("swift") || $0.id == 0 },
            articles.where { $0.text.fullText("swift", alsoIn: $0.title) },
        ]
        for found in results {
            #expect(found.isEmpty && found.where { $0.id == 0 }.isEmpty)
            do {
                _ = try await found.evaluated()
                Issue.record("expected an error")
            } catch RealmError.invalidKeyPath(let message) {
                #expect(message.contains("title") && message.contains("full-text index"))
            }
        }
        #expect(throws: RealmError.self) { try articles.filter("title TEXT 'swift'") }
    }
}
