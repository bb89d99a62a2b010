import Foundation
import Storage
import StorageHarness
import Testing

@testable import RealmActors

/// Case and marks in comparisons of texts, and wildcards that are none.
@Suite struct LetterTests {
    private func matches(
        _ text: String, _ kind: TextOperator, _ argument: String, _ options: StringOptions
    ) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            TextMatcher(kind, argument, options)?.matches(UnsafeRawBufferPointer(bytes)) ?? false
        }
    }

    private static let both: StringOptions = [.caseInsensitive, .diacriticInsensitive]

    /// Texts were decomposed first, and then compared by their bytes: a letter was found in the one
    /// with an accent, whose accent stood behind it.
    @Test("D25: case is folded, and letters stay whole")
    func caseIsFoldedAndLettersStayWhole() {
        let tuv = "t\u{FC}v"
        let decomposed = "tu\u{308}v"
        for text in [tuv, decomposed] {
            for kind in [TextOperator.contains, .like] {
                let stars = kind == .like ? "*" : ""
                #expect(!matches(text, kind, "\(stars)U\(stars)", .caseInsensitive))
                #expect(!matches(text, kind, "\(stars)TU\(stars)", .caseInsensitive))
                #expect(matches(text, kind, "\(stars)U\u{308}V\(stars)", .caseInsensitive))
                #expect(matches(text, kind, "\(stars)\u{DC}\(stars)", .caseInsensitive))
                #expect(!matches(text, kind, "\(stars)\u{D9}\(stars)", .caseInsensitive))
                for options in [.diacriticInsensitive, Self.both] {
                    #expect(matches(text, kind, "\(stars)u\(stars)", options))
                    #expect(matches(text, kind, "\(stars)\u{F9}\(stars)", options))
                }
            }
            #expect(matches(text, .like, "T?V", .caseInsensitive))
            #expect(!matches(text, .like, "T??V", .caseInsensitive))
            #expect(!matches(text, .beginsWith, "TU", .caseInsensitive))
            #expect(matches(text, .beginsWith, "T\u{DC}", .caseInsensitive))
            #expect(matches(text, .endsWith, "\u{DC}V", .caseInsensitive))
            #expect(matches(text, .equals, "T\u{DC}V", .caseInsensitive))
            #expect(!matches(text, .equals, "TUV", .caseInsensitive))
            #expect(!matches(text, .notEquals, "TUV", .diacriticInsensitive))
        }
        // Marks for which there is no letter of one scalar, and what folds to two letters.
        #expect(!matches("x\u{308}\u{323}y", .contains, "X", .caseInsensitive))
        #expect(matches("x\u{308}\u{323}y", .contains, "X\u{323}\u{308}", .caseInsensitive))
        #expect(!matches("stra\u{DF}e", .contains, "S", []))
        #expect(!matches("a\u{DF}", .contains, "S", .caseInsensitive))
        #expect(!matches("as", .contains, "\u{DF}", .caseInsensitive))
        #expect(matches("A\u{1E9E}", .equals, "a\u{DF}", .caseInsensitive))
        #expect(matches("\u{3A3}\u{3C2}", .equals, "\u{3C3}\u{3C3}", .caseInsensitive))
        let family = "\u{1F469}\u{200D}\u{1F467}"
        #expect(!matches(family, .contains, "\u{1F469}", .caseInsensitive))
        #expect(matches("\(family)a", .like, "?A", .caseInsensitive))
        for text in ["a\r\nb", "a\r\n\u{E9}b"] {
            #expect(matches(text, .contains, "\n", .caseInsensitive))
            #expect(matches(text, .contains, "\r\n", .caseInsensitive))
            #expect(matches(text, .contains, "A\r", .caseInsensitive))
        }
        #expect(!matches("abc", .contains, "\u{301}", .diacriticInsensitive))
    }

    /// There was no way to ask for a star.
    @Test func escapedWildcardsAreLetters() async throws {
        for options in [StringOptions(), .caseInsensitive] {
            #expect(matches("a*b", .like, #"a\*b"#, options))
            #expect(!matches("axb", .like, #"a\*b"#, options))
            #expect(matches("a?\u{FC}", .like, #"a\?\#u{FC}"#, options))
            #expect(!matches("ax\u{FC}", .like, #"a\?\#u{FC}"#, options))
            #expect(matches(#"c:\dir"#, .like, #"c:\d*"#, options))
            #expect(matches(#"c:\"#, .like, #"c:\\"#, options))
            #expect(matches(#"c:\x"#, .like, #"c:\\*"#, options))
            #expect(matches(#"x\"#, .like, #"?\"#, options))
        }
        try await withFreshRealm([HostileNode.self]) { realm in
            try await realm.write { tx in
                for text in ["a*b", "axb", "a?b", #"a\*b"#] {
                    try tx.create(HostileNode.self, value: ["text": text])
                }
            }
            let nodes = realm.objects(HostileNode.self)
            func texts(_ query: String) throws -> [String] { try nodes.filter(query).map(\.text) }
            #expect(try texts(#"text LIKE 'a\*b'"#) == ["a*b"])
            #expect(try texts(#"text LIKE 'a\\*b'"#) == ["a*b"])
            #expect(try texts(#"text LIKE[c] 'A\?B'"#) == ["a?b"])
            // The star was a wildcard behind a backslash that was escaped itself.
            #expect(try texts(#"text LIKE 'a\\\*b'"#) == [#"a\*b"#])
            #expect(try texts(#"text LIKE 'a\\\\*'"#) == [#"a\*b"#])
            #expect(try texts(#"text LIKE[c] 'A\\\\\*B'"#) == [#"a\*b"#])
            #expect(try texts(#"text LIKE 'a*b'"#).count == 4)
            #expect(try texts(#"text == 'a\*b'"#) == ["a*b"])
            #expect(try texts(#"text CONTAINS '\*'"#) == ["a*b", #"a\*b"#])
            #expect(nodes.where { $0.text.like(#"a\*b"#) }.map(\.text) == ["a*b"])
            #expect(nodes.where { $0.text.like(#"a\\\*b"#) }.map(\.text) == [#"a\*b"#])
        }
    }

    /// Each place of a text of one letter was a place where nearly all of such a needle stood.
    @Test(.timeLimit(.minutes(10))) func repetitionIsSearchedInOnePass() {
        let text = String(repeating: "a", count: 100_000)
        let half = String(repeating: "a", count: 10_000)
        let needle = half + "b" + half
        for options in [StringOptions(), .caseInsensitive] {
            #expect(!matches(text, .contains, needle, options))
            #expect(matches(text + needle + "c", .contains, needle, options))
            #expect(!matches(text + "\u{FC}", .contains, needle, options))
            #expect(matches(text + "\u{FC}" + needle, .contains, needle, options))
            #expect(!matches(text, .like, "*\(needle)*", options))
            #expect(matches(text + needle + text, .like, "*\(needle)*", options))
            #expect(!matches(text + "\u{FC}", .like, "*\(needle)*x*", options))
            let questions = String(repeating: "a?", count: 1_000) + "b" + half.prefix(1_000)
            #expect(!matches(text, .like, "*\(questions)*", options))
            #expect(matches(text + questions + text, .like, "a*\(questions)*a", options))
        }
    }

    /// Short texts of few letters, in which everything repeats itself, against the naive evaluator;
    /// the way that long texts take is taken as well.
    @Test func repetitiveTextsAgreeWithTheNaiveEvaluator() {
        var random = SeededGenerator()
        let seed = random.seed
        let letters = ["a", "a", "a", "b", "\u{FC}", "u\u{308}", "u", "A", "\u{DC}"]
        func text(_ count: ClosedRange<Int>, _ more: [String] = []) -> String {
            (0..<Int.random(in: count, using: &random)).map { _ in
                (letters + more).randomElement(using: &random) ?? ""
            }.joined()
        }
        for number in 0..<4_000 {
            let options = StringOptions(rawValue: Int.random(in: 0...3, using: &random))
            let kind = TextOperator.allCases.randomElement(using: &random) ?? .like
            let value = text(0...30)
            let wildcards = kind == .like ? ["*", "?", "*", "?", "\\*", "\\?", "\\"] : []
            let argument = text(0...6, wildcards)
            let expected = NaiveRow.text(.string(value), kind, argument, options)
            let found =
                matches(value, kind, argument, options) != (kind == .notEquals)
            let comment: Comment =
                "SEED=\(seed), \(number): \(value) \(kind) \(argument) \(options)"
            #expect(found == expected, comment)
            guard kind == .like else { continue }
            let pattern =
                options.isEmpty
                ? WildcardPattern(argument) : WildcardPattern(argument, unitsWith: options)
            let bytes = options.isEmpty ? Array(value.utf8) : TextFolding.units(of: value, options)
            let start = options.isEmpty ? 0 : 1
            // Unsafe: lent for the call, which reads within the buffer.
            let segmented = bytes.withUnsafeBytes {
                SegmentedPattern(pattern).matches($0, from: start)
            }
            #expect(segmented == expected, comment)
        }
    }

    /// What each character of a segment may stand for took memory with the square of its length.
    @Test func segmentsMayBeLongAndOfManyCharacters() {
        func matches(_ text: [String], _ segment: [String]) -> Bool {
            let pattern = WildcardPattern("*\(segment.joined())*")
            var bytes = text.joined()
            return bytes.withUTF8 {
                SegmentedPattern(pattern).matches(UnsafeRawBufferPointer($0), from: 0)
            }
        }
        let letters = (UInt32(0x4E00)..<0x4E00 + 1_500).compactMap { Unicode.Scalar($0) }
            .map { String($0) }
        let segment = letters.flatMap { [$0, "?"] }
        let text = letters.flatMap { [$0, "!"] }
        #expect(matches(["a"] + text + ["b"], segment))
        #expect(!matches(["a"] + text.dropLast() + ["b", "c"], segment + ["d"]))
        #expect(!matches(text.map { $0 == letters[1_000] ? "x" : $0 }, segment))
        var random = SeededGenerator()
        let seed = random.seed
        for number in 0..<200 {
            let count = Int.random(in: 1...200, using: &random)
            func draw(_ count: Int, _ more: [String]) -> [String] {
                (0..<count).map { _ in
                    (letters.prefix(2) + more).randomElement(using: &random) ?? "a"
                }
            }
            let text = draw(count + Int.random(in: 0...100, using: &random), [])
            var segment = draw(count, ["?", "?", "?", "?"])
            // Most often, what is there.
            if number % 4 > 0 {
                for index in segment.indices where segment[index] != "?" {
                    segment[index] = text[index + (text.count - count) / 2]
                }
            }
            let expected = (0...(text.count - count)).contains { start in
                segment.indices.allSatisfy { ["?", text[start + $0]].contains(segment[$0]) }
            }
            #expect(matches(text, segment) == expected, "SEED=\(seed), \(number)")
        }
    }
}
