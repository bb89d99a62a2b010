import Foundation
import StorageHarness
import Testing

@testable import Storage

/// The canonical forms of texts, compared with those of Foundation.
@Suite struct CanonicalFormTests {
    /// Marks of all kinds, and characters with unusual compositions or decompositions.
    private static let scalars: [Unicode.Scalar] = [
        "a", "Z", " ", "\n", "\u{DF}", "\u{E9}", "\u{1EC7}", "\u{1F82}", "\u{212B}", "\u{2126}",
        "\u{F900}", "\u{2F800}", "\u{34F}", "\u{1100}", "\u{1113}", "\u{1161}", "\u{1176}",
        "\u{11A7}", "\u{11A8}", "\u{AC00}", "\u{AC01}", "\u{9C7}", "\u{9BE}", "\u{9D7}",
        "\u{1025}", "\u{102E}", "\u{F40}", "\u{F73}", "\u{F81}", "\u{FB5}", "\u{11131}",
        "\u{11127}", "\u{11347}", "\u{1133E}", "\u{11357}", "\u{1D15E}", "\u{304B}", "\u{200D}",
        "\u{FF9E}", "\u{FFFD}", "\u{E000}", "\u{378}", "\u{958}", "\u{915}", "\u{FB1D}",
        "\u{16D63}", "\u{16D67}",
    ]
    private static let marks: [Unicode.Scalar] = [
        "\u{301}", "\u{323}", "\u{345}", "\u{F71}", "\u{F72}", "\u{F74}", "\u{93C}", "\u{94D}",
        "\u{3099}", "\u{5B4}", "\u{1D165}", "\u{31B}", "\u{897}", "\u{1AD0}",
    ]

    private static func isWhole(_ text: String) -> Bool {
        CanonicalForm.composed(text).unicodeScalars
            .elementsEqual(text.precomposedStringWithCanonicalMapping.unicodeScalars)
            && CanonicalForm.decomposed(text).unicodeScalars
                .elementsEqual(text.decomposedStringWithCanonicalMapping.unicodeScalars)
    }

    @Test func randomTextsHaveTheFormsOfFoundation() {
        var random = SeededGenerator()
        let seed = random.seed
        for number in 0..<300 {
            var text = String.UnicodeScalarView()
            let marksMax = [0, 2, 50][number % 3]
            for _ in 0..<Int.random(in: 1...60, using: &random) {
                // Few texts have one of these: Foundation drops it after very many marks.
                let isDouble = marksMax < 50 && random.oneIn(20)
                text.append(
                    isDouble ? "\u{344}" : Self.scalars.randomElement(using: &random) ?? "a")
                for _ in 0..<Int.random(in: 0...marksMax, using: &random) {
                    text.append(Self.marks.randomElement(using: &random) ?? "\u{301}")
                }
            }
            let comment: Comment = "SEED=\(seed), \(number): \(text.map(\.value))"
            #expect(Self.isWhole(String(text)), comment)
        }
    }

    /// Every character, between others that compose, in texts that are converted in stretches.
    @Test func everyCharacterHasTheFormsOfFoundation() {
        let others = Self.scalars + Self.marks
        var wrong: [UInt32] = []
        for start in stride(from: UInt32(0), to: 0x1_2000, by: 64) {
            var text = String.UnicodeScalarView()
            for number in start..<start + 64 {
                guard let scalar = Unicode.Scalar(number) else { continue }
                text.append(scalar)
                text.append(others[Int(number / 3) % others.count])
            }
            if !Self.isWhole(String(text)) { wrong.append(start) }
        }
        #expect(wrong.isEmpty, "\(wrong.map { String($0, radix: 16) })")
    }

    /// Both conversions took time quadratic in the number of marks, or of letters.
    @Test func longTextsTakeLinearTime() {
        let (above, below) = (
            String(repeating: "\u{301}", count: 10_000), String(repeating: "\u{323}", count: 10_000)
        )
        let (apart, whole) = (
            String(repeating: "e\u{301}", count: 10_000), String(repeating: "\u{E9}", count: 10_000)
        )
        for (one, other) in [("a" + above + below, "a" + below + above), (apart, whole)] {
            let isSame = CollationKey.bytes(of: one) == CollationKey.bytes(of: other)
            #expect(isSame)
        }
        // Characters that compose within a word, and very many marks on one of its letters.
        let signs = String(repeating: "\u{9C7}\u{9BE}", count: 2_000)
        var text = "a\(above)\(below)\u{F900} \u{995}\(signs)"
        let keys = text.withUTF8 { TermKey.keys(of: UnsafeRawBufferPointer($0)) }
        #expect(keys.count == 3)
    }
}
