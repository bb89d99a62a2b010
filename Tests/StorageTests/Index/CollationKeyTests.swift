import Foundation
import StorageHarness
import Testing

@testable import Storage

/// The natural order of texts.
@Suite struct CollationKeyTests {
    private func key(_ text: String) -> [UInt8] { CollationKey.bytes(of: text) }

    private func precedes(_ a: String, _ b: String) -> Bool {
        key(a).lexicographicallyPrecedes(key(b))
    }

    @Test func textsAreInNaturalOrder() {
        let ordered = [
            "", "10", "2", "a", "A", "\u{E1}", "\u{E4}", "ab", "ad", "\u{E6}on", "ag", "Ain",
            "\u{2019}Ain", "a\u{EF}n", "A\u{EF}n", "\u{2019}A\u{EF}n", "airy", "cote",
            "cot\u{E9}", "c\u{F4}te", "c\u{F4}t\u{E9}", "de luge", "de-luge", "deluge",
            "New York", "Newark", "o", "\u{F8}", "of", "resume", "r\u{E9}sum\u{E9}", "stra\u{DF}e",
            "strasset", "z", "zz", "\u{3B1}", "\u{3AC}", "\u{3B2}", "\u{438}", "\u{418}",
            "\u{439}", "\u{419}", "\u{43A}", "\u{3042}", "\u{30A2}", "\u{4E00}", "\u{4E8C}",
            "\u{AC00}", "\u{1F600}",
        ]
        for (a, b) in zip(ordered, ordered.dropFirst()) where a != "de luge" {
            #expect(precedes(a, b), "'\(a)' before '\(b)': \(key(a)), \(key(b))")
        }
        for index in ordered.indices where index > 1 {
            #expect(!precedes(ordered[index], ordered[index - 2]))
        }
    }

    @Test func spacesAndDashesAreAlike() { #expect(key("de luge") == key("de-luge")) }

    @Test func equalTextsHaveOneKey() {
        var random = SeededGenerator()
        let seed = random.seed
        let letters: [Character] = [
            "a", "B", "\u{E9}", "\u{1EC7}", "\u{F4}", "\u{439}", "\u{AC01}", "\u{3AC}", "\u{3058}",
            "-", "'", "\u{D0F4}", "1", "\u{E5}",
        ]
        for _ in 0..<500 {
            let text = String((0..<6).compactMap { _ in letters.randomElement(using: &random) })
            let other = text.decomposedStringWithCanonicalMapping
            #expect(key(text) == key(other), "SEED=\(seed): \(text.unicodeScalars.map(\.value))")
            #expect(key(text) == key(text.precomposedStringWithCanonicalMapping))
        }
    }

    /// Stores have keys on disk: these must not change without a new version.
    @Test func keysNeverChange() {
        #expect(CollationKey.version == 1)
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for number: UInt32 in 0..<0x3_0000 {
            guard let scalar = Unicode.Scalar(number), number < 0x3400 || number > 0xD7FF else {
                continue
            }
            for byte in key("a\(Character(scalar))z") {
                hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
            }
        }
        #expect(hash == 11_485_391_115_893_818_805)
    }

    @Test func anyBytesHaveAKey() {
        var random = SeededGenerator()
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0...20, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            // Unsafe: lent for the call.
            let key = bytes.withUnsafeBytes { CollationKey.bytes(of: $0) }
            #expect(key.count <= bytes.count * 20 + 8)
        }
    }
}
