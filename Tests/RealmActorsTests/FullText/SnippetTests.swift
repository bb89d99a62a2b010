import Foundation
import RealmActors
import StorageHarness
import Testing

/// Parts of texts that show what a search finds.
@Suite struct SnippetTests {
    private static func marked(
        _ text: String, _ search: String, words: Int = 24
    ) -> String {
        SearchSnippet(of: text, for: search, words: words, ellipsis: "...").marked { "[\($0)]" }
    }

    @Test func whatIsFoundIsMarkedAsItIsWritten() {
        #expect(Self.marked("Swift, actors!", "ACTORS swift") == "[Swift], [actors]!")
        #expect(
            Self.marked("A l'\u{C9}t\u{E9}, e\u{301}te\u{301}", "ete")
                == "A l'[\u{C9}t\u{E9}], [e\u{301}te\u{301}]")
        #expect(Self.marked("Stra\u{DF}e", "strasse") == "[Stra\u{DF}e]")
        #expect(Self.marked("swiftly acting", "swift* act*") == "[swiftly] [acting]")
        #expect(Self.marked("swift on ios", "swift -ios") == "[swift] on ios")
        #expect(Self.marked("nothing", "something") == "nothing")
        #expect(Self.marked("", "something") == "")
        #expect(Self.marked("a text", "...") == "a text")
    }

    @Test func aPhraseIsOneHit() {
        #expect(
            Self.marked("structured, concurrency; structured", "\"structured concurrency\"")
                == "[structured, concurrency]; structured")
        #expect(Self.marked("don't do", "don't") == "[don]'[t] do")
    }

    @Test func ideographsAreMarkedOneByOne() {
        let tokyo = "\u{6771}\u{4EAC}\u{90FD}"
        #expect(Self.marked("\(tokyo) Tower", tokyo) == "[\(tokyo)] Tower")
        #expect(Self.marked(tokyo, "\u{4EAC}") == "\u{6771}[\u{4EAC}]\u{90FD}")
        #expect(Self.marked(tokyo, "\u{90FD}") == "\u{6771}\u{4EAC}[\u{90FD}]")
        #expect(Self.marked(tokyo, "\u{4EAC}\u{90FD}") == "\u{6771}[\u{4EAC}\u{90FD}]")
        // A syllable and a voiced letter in parts.
        #expect(
            Self.marked("\u{1112}\u{1161}\u{11AB} x", "\u{D55C}")
                == "[\u{1112}\u{1161}\u{11AB}] x")
        #expect(Self.marked("x \u{304B}\u{3099} y", "\u{304C}") == "x [\u{304B}\u{3099}] y")
    }

    @Test func aLongTextIsCutWhereMostIsFound() {
        let words = (0..<100).map { "w\($0)" }.joined(separator: " ")
        #expect(Self.marked(words, "w50", words: 5) == "...w48 w49 [w50] w51 w52...")
        #expect(Self.marked(words, "w0", words: 3) == "[w0] w1 w2...")
        #expect(Self.marked(words, "w99", words: 3) == "...w97 w98 [w99]")
        #expect(Self.marked(words, "w10 w70 w72", words: 4) == "...[w70] w71 [w72] w73...")
        #expect(Self.marked(words, "x", words: 2) == "w0 w1...")
        #expect(Self.marked(words, "w1*", words: 1) == "...[w1]...")
        #expect(Self.marked("a b", "b", words: 2) == "a [b]")
    }

    /// A word counted, and was kept, as often as it was searched for.
    @Test func whatIsSearchedTwiceIsFoundOnce() {
        #expect(Self.marked("x w w w w y z", "x x y z", words: 3) == "...w [y] [z]")
        let text = String(repeating: "a ", count: 20_000) + "b"
        let words = String(repeating: "a ", count: 2_000)
        #expect(SearchSnippet(of: text, for: words).hits.count == 24)
        #expect(SearchSnippet(of: text, for: "\"\(words)\"", words: 3_000).hits.count == 1)
        #expect(Self.marked(text, "\"\(words)b\"", words: 2) == "...[a a]...")
        let beginnings = (1...200).map { String(repeating: "a", count: $0) + "*" }
        #expect(Self.marked("b aaa", beginnings.joined(separator: " ")) == "b [aaa]")
    }

    /// Letters with very many marks took a time with the square of their number.
    @Test func veryManyMarksAreOneLetter() {
        let marks = [0x301, 0x323].compactMap { Unicode.Scalar($0) }
            .map { String(repeating: Character($0), count: 20_000) }
        let text = "a\(marks[0])\(marks[1])\u{1100} b"
        let snippet = SearchSnippet(of: text, for: "-\(marks[1]) \(text) \"a\(marks[0])\"")
        #expect(snippet.hits.count == 2)
    }

    @Test func hitsAreRangesOfTheText() {
        let snippet = SearchSnippet(
            of: "one two \u{1F408} three four five", for: "three", words: 3)
        #expect(snippet.text == "\u{2026}two \u{1F408} three four\u{2026}")
        #expect(snippet.hits.map { snippet.text[$0] } == ["three"])
        #expect(snippet == SearchSnippet(of: "0 \(snippet.text)", for: "three", words: 3))
    }

    /// Whatever is searched in whatever text: a snippet is a part of it, and has a hit where the
    /// text has one.
    @Test func randomTextsAgreeWithTheNaiveSearch() {
        var random = SeededGenerator()
        let seed = random.seed
        for _ in 0..<400 {
            let text = (0..<8).map { _ in SearchText.make(&random) ?? "" }.joined(separator: " ")
            let search = SearchText.search(&random)
            let words = Int.random(in: 1...12, using: &random)
            let snippet = SearchSnippet(of: text, for: search, words: words, ellipsis: "")
            let note: Comment = "SEED=\(seed) '\(search)' of \(words) in '\(text)'"
            #expect(text.contains(snippet.text), note)
            #expect(snippet.marked { String($0) } == snippet.text, note)
            let naive = NaiveSearch(search)
            let score = naive.scores([[text]])[0].value
            #expect(snippet.hits.isEmpty == (score == 0), note)
            for (hit, next) in zip(snippet.hits, snippet.hits.dropFirst()) {
                #expect(hit.upperBound < next.lowerBound, note)
            }
        }
    }
}
