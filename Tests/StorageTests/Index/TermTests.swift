import StorageHarness
import Testing

@testable import Storage

/// Terms of texts, and their keys in full-text indexes.
@Suite struct TermTests {
    private static func terms(_ text: String) -> [String] {
        var terms: [String] = []
        var text = text
        text.withUTF8 { bytes in
            TermScanner.forEach(in: UnsafeRawBufferPointer(bytes)) {
                terms.append(String(decoding: $0.bytes, as: UTF8.self) + "@\($0.position)")
            }
        }
        return terms
    }

    private static func key(_ term: String) -> TermKey {
        var term = term
        return term.withUTF8 { TermKey(UnsafeRawBufferPointer($0)) }
    }

    @Test func wordsAreRunsOfLettersAndDigits() {
        #expect(Self.terms("Hello, World 42!") == ["hello@0", "world@1", "42@2"])
        #expect(Self.terms("don't") == ["don@0", "t@1"])
        #expect(Self.terms("") == [] && Self.terms(" ...\u{2026}\u{1F408}") == [])
        #expect(Self.terms("a\u{2014}b") == ["a@0", "b@1"])
    }

    /// Tokyo prefecture, and a year.
    @Test func digitsBesideIdeographsAreAWord() {
        let terms = Self.terms("\u{6771}\u{4EAC}\u{90FD}2020")
        #expect(terms.contains { $0.hasPrefix("2020@") }, "\(terms)")
        #expect(terms.contains { $0.hasPrefix("\u{6771}\u{4EAC}@") }, "\(terms)")
        #expect(terms.contains { $0.hasPrefix("\u{4EAC}\u{90FD}@") }, "\(terms)")
    }

    @Test func caseAndMarksAreFolded() {
        #expect(Self.terms("\u{C9}tE\u{301}") == ["ete@0"])
        #expect(Self.terms("\u{301} \u{301}a") == ["a@0"])
        #expect(Self.terms("STRASSE Stra\u{DF}e") == ["strasse@0", "strasse@1"])
        #expect(Self.terms("\u{3A3}\u{3C2}") == ["\u{3C3}\u{3C3}@0"])
        #expect(Self.terms("so\u{AD}ft") == ["soft@0"])
        #expect(Self.terms("\u{FF33}\u{FF57}\u{FF49}\u{FF46}\u{FF54}") == ["swift@0"])
        // A vowel sign of Devanagari is not a diacritic.
        #expect(Self.terms("\u{915}\u{941}\u{932}") == ["\u{915}\u{941}\u{932}@0"])
    }

    /// Canonically equivalent texts have the same terms.
    @Test func equalTextsHaveEqualTerms() {
        for (one, other) in [
            ("\u{1FB3}", "\u{3B1}\u{345}"), ("\u{1F80}", "\u{1F00}\u{345}"),
            ("\u{995}\u{9CB}", "\u{995}\u{9C7}\u{9BE}"), ("\u{F900}x", "\u{8C48}x"),
            ("\u{F900}\u{304B}\u{3099}", "\u{8C48}\u{304C}"), ("\u{212B}", "A\u{30A}"),
            ("\u{E01}\u{E48}\u{E38}", "\u{E01}\u{E38}\u{E48}"),
            ("\u{958}\u{94D}", "\u{915}\u{94D}\u{93C}"),
        ] {
            #expect(one == other && Self.terms(one) == Self.terms(other), "\(one) \(other)")
        }
        // A zero-width space separates words, and an iteration mark belongs to its ideograph.
        #expect(Self.terms("foo\u{200B}bar") == ["foo@0", "bar@1"])
        #expect(Self.terms("\u{4EBA}\u{3005}") == ["\u{4EBA}\u{3005}@0", "\u{3005}@0"])
    }

    /// The order of kept marks made a difference.
    @Test func randomTextsHaveTheTermsOfTheirCanonicalForms() {
        let alphabet = [
            " ", "a", "\u{E9}", "\u{301}", "\u{323}", "\u{34F}", "\u{915}", "\u{958}", "\u{928}",
            "\u{929}", "\u{93C}", "\u{94D}", "\u{1CD4}", "\u{E01}", "\u{E38}", "\u{E48}", "\u{5D1}",
            "\u{5BC}", "\u{995}", "\u{9C7}", "\u{9BE}", "\u{DD9}", "\u{DCF}", "\u{DCA}", "\u{DDD}",
        ]
        var random = SeededGenerator()
        let seed = random.seed
        for _ in 0..<2_000 {
            let text = (0..<Int.random(in: 1...12, using: &random))
                .map { _ in alphabet.randomElement(using: &random) ?? "" }.joined()
            let terms = Self.terms(text)
            let note: Comment = "SEED=\(seed) \(text.unicodeScalars.map { $0.value })"
            #expect(Self.terms(CanonicalForm.decomposed(text)) == terms, note)
            #expect(Self.terms(CanonicalForm.composed(text)) == terms, note)
        }
    }

    /// It was treated as a point, and joined the words around it.
    @Test func punctuationOfHebrewSeparates() {
        for sign in ["\u{5BE}", "\u{5C0}", "\u{5C3}", "\u{5C6}", "\u{5F3}", "\u{5F4}"] {
            let terms = Self.terms("\u{5D1}\u{5D2}\(sign)\u{5D3}")
            #expect(terms == ["\u{5D1}\u{5D2}@0", "\u{5D3}@1"], "\(sign)")
        }
        #expect(Self.terms("\u{5E9}\u{5C1}\u{5B8}\u{591}\u{5C7}") == ["\u{5E9}@0"])
    }

    @Test func rareMarksMakeNoDifferenceAndLettersAmongThemDo() {
        let arabic = "\u{644}\u{6DA}\u{6E1}\u{647}\u{6E5}\u{8D3}\u{8F0}"
        #expect(Self.terms(arabic) == ["\u{644}\u{647}@0"])
        #expect(Self.terms("\u{644}\u{6DE}\u{647}") == ["\u{644}@0", "\u{647}@1"])
        let cyrillic = "\u{430}\u{2DE0}\u{431}\u{A66F}\u{A67C}\u{A69E}"
        #expect(Self.terms(cyrillic) == ["\u{430}\u{431}@0"])
        #expect(Self.terms("\u{A680}\u{A673}\u{A681}") == ["\u{A681}@0", "\u{A681}@1"])
        #expect(Self.terms("\u{6771}\u{E0100}a\u{E0100}") == ["\u{6771}@0", "a@1"])
    }

    @Test func unspacedScriptsGivePairsAndTheLastCharacter() {
        #expect(
            Self.terms("\u{6771}\u{4EAC}\u{90FD}a \u{6771}")
                == [
                    "\u{6771}\u{4EAC}@0", "\u{4EAC}\u{90FD}@1", "\u{90FD}@1", "a@2", "\u{6771}@3",
                ])
        // Decomposed Hangul and kana equal the composed ones.
        #expect(Self.terms("\u{1112}\u{1161}\u{11AB}") == ["\u{D55C}@0"])
        #expect(Self.terms("\u{304B}\u{3099}") == ["\u{304C}@0"])
    }

    @Test func keysOfShortTermsAreExactAndOrderByBeginnings() {
        #expect(Self.key("abcdefghij").isExact && !Self.key("abcdefghijk").isExact)
        #expect(Self.key("\u{43C}\u{43E}\u{441}\u{43A}").isExact)
        #expect(Self.key("\u{6771}\u{4EAC}").isExact && Self.key("\u{20000}\u{20001}").isExact)
        #expect(Self.key("abcdefghij").bits != Self.key("abcdefghijk").bits)
        #expect(Self.key("a").bits != Self.key("aa").bits)
        let words = [
            "a", "ab", "abc", "b", "abcdefghij", "abcdefghijk", "abcdefghijkl", "1", "9z",
            "\u{43C}",
            "\u{43C}\u{43E}", "\u{6771}", "\u{6771}\u{4EAC}", "\u{20000}", "a\u{43C}", "\u{7FF}",
            "\u{800}", "\u{FFFD}",
        ]
        for prefix in words where Self.key(prefix).isExact {
            for word in words {
                #expect(
                    Self.key(prefix).prefixKeys.contains(Self.key(word).bits)
                        == word.utf8.starts(with: prefix.utf8), "\(prefix) \(word)")
            }
        }
        #expect(Set(words.map { Self.key($0).bits }).count == words.count)
        // An inexact term is among those with its prefix as well.
        let long = Self.key("abcdefghijk")
        #expect(long.prefixKeys.contains(Self.key("abcdefghijkl").bits))
    }

    @Test func aTextHasEachKeyOnce() {
        var text = "b a b A"
        let keys = text.withUTF8 { TermKey.keys(of: UnsafeRawBufferPointer($0)) }
        #expect(keys == [Self.key("a").bits, Self.key("b").bits])
    }
}
