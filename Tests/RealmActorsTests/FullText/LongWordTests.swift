import Foundation
import RealmActors
import StorageHarness
import Testing

/// Words of which an index has only the first letters: the texts distinguish them.
@Suite struct LongWordTests {
    /// Words that begin alike, or are a part of one another.
    private static let words = [
        "interactions", "interactionsx", "xinteractions", "interactional", "interactively",
        "interact", "inter", "interactionsinteractions", "a", "aaaaaaaaaaaaaaaaaaaaaaaaa",
    ]
    private static let separators = [" ", ", ", "-", "\n", "_", "\u{0}", "|"]

    private static func text(_ random: inout SeededGenerator) -> String {
        var text = random.oneIn(3) ? " " : ""
        for _ in 0..<random.next(below: 5) {
            let word = words[random.next(below: words.count)]
            text += random.oneIn(4) ? word.uppercased() : word
            text += separators[random.next(below: separators.count)]
            if random.oneIn(12) { text += random.oneIn(2) ? "\u{E9}t\u{E9}" : "i\u{301}nteract" }
        }
        return random.oneIn(2) ? text + words[random.next(below: words.count)] : text
    }

    private static func search(_ random: inout SeededGenerator) -> String {
        let parts = (0...random.next(below: 3)).map { part in
            var word = words[random.next(below: words.count)]
            if random.oneIn(4) { word = String(word.prefix(1 + random.next(below: 14))) + "*" }
            return part > 0 && random.oneIn(3) ? "-\(word)" : word
        }
        return parts.joined(separator: " ")
    }

    @Test func longWordsAreToldApart() async throws {
        var random = SeededGenerator()
        let texts = (0..<300).map { _ in Self.text(&random) }
        let realm = try await Article.realm()
        try await Article.fill(realm, texts)
        let articles = realm.objects(Article.self)
        for _ in 0..<200 {
            let search = Self.search(&random)
            let naive = NaiveSearch(search)
            let expected = texts.indices.filter { naive.matches(texts[$0]) }
            let found = articles.where { $0.text.fullText(search) }.map(\.id)
            #expect(found == expected, "\(search.debugDescription), seed \(random.seed)")
        }
    }
}
