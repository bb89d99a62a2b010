import Foundation
import StorageHarness
import Testing

@testable import RealmActors

/// The fast way to the units of a text against the one that Foundation goes, letter by letter.
@Suite struct TextUnitsTests {
    private static let allOptions: [StringOptions] = [
        .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
    ]

    /// The units that are written; nil where the writer cannot.
    private func units(_ text: [UInt8], _ options: StringOptions) -> [UInt8]? {
        // Unsafe: lent for the call; the buffer has the capacity that is asked for.
        text.withUnsafeBytes { text in
            withUnsafeTemporaryAllocation(
                byteCount: TextUnits.capacity(for: text), alignment: 1
            ) { buffer in
                TextUnits.write(text, FoldingTable.of(options), into: buffer)
                    .map { Array(buffer[..<$0]) }
            }
        }
    }

    private func units(_ text: String, _ options: StringOptions) -> [UInt8]? {
        units(Array(text.utf8), options)
    }

    /// Scalars that join others, in pairs and threes with scalars of all kinds.
    @Test(arguments: allOptions)
    func everyScalarFoldsAsItsLetterDoes(_ options: StringOptions) {
        let others: [Unicode.Scalar] = [
            "a", "\u{301}", "\u{345}", "\u{1100}", "\u{1161}", "\u{AC00}", "\u{11A8}", "\u{915}",
            "\u{94D}", "\u{93E}", "\u{600}", "\u{200D}", "\u{E9}", "\u{1F469}", "\r",
        ]
        var wrong: [String] = []
        // Every eighth, others in each run.
        for code in stride(from: UInt32.random(in: 0..<8), to: 0x2_0000, by: 8) {
            guard let scalar = Unicode.Scalar(code) else { continue }
            let other = others[Int(code) % others.count]
            let third = others[Int(code / 7) % others.count]
            for scalars in [[scalar, other], [other, scalar, third]] {
                var text = String.UnicodeScalarView()
                text.append(contentsOf: scalars)
                let expected = TextFolding.units(of: String(text), options)
                if units(String(text), options) != expected { wrong.append("\(scalars)") }
            }
        }
        #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(20))")
    }

    @Test func randomTextsFoldAsTheirLettersDo() {
        var random = SeededGenerator()
        let seed = random.seed
        let scalars: [String] = [
            "a", "Z", " ", "\u{DF}", "\u{E9}", "\u{301}", "\u{323}", "\u{345}", "\u{3C2}",
            "\u{3A3}", "\u{430}", "\u{130}", "\u{149}", "\u{1E9E}", "\u{1100}", "\u{1161}",
            "\u{11A8}", "\u{AC00}", "\u{AC01}", "\u{915}", "\u{937}", "\u{94D}", "\u{93E}",
            "\u{93C}", "\u{E01}", "\u{E33}", "\u{E34}", "\u{600}", "\u{200D}", "\u{200C}",
            "\u{FE0F}", "\u{A9}", "\u{1F469}", "\u{1F467}", "\u{1F1E6}", "\u{20000}", "\u{4E00}",
            "\u{304C}", "\u{3099}", "\r", "\n", "\u{20DD}", "\u{FB03}", "\u{390}",
        ]
        for number in 0..<20_000 {
            let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                scalars.randomElement(using: &random) ?? ""
            }.joined()
            for options in Self.allOptions {
                let expected = TextFolding.units(of: text, options)
                #expect(
                    units(text, options) == expected,
                    "SEED=\(seed), \(number): \(text.unicodeScalars.map { $0 }) \(options)")
            }
        }
    }

    /// The marks of a letter were brought in order in a time with the square of their number.
    @Test(arguments: allOptions) func aLetterMayHaveVeryManyMarks(_ options: StringOptions) {
        let (above, below) = (
            String(repeating: "\u{301}", count: 10_000), String(repeating: "\u{323}", count: 10_000)
        )
        let found = [above + below, below + above].map { units("x\u{E9}\($0)\r\n", options) }
        let isSame = found[0] != nil && found[0] == found[1]
        #expect(isSame)
    }

    /// Bytes that are no UTF-8 are left to what repairs them.
    @Test func bytesThatAreNoTextAreNotWritten() {
        for bytes: [UInt8] in [
            [0xC3], [0xC3, 0x41], [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0x80],
            [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF], [0x41, 0xCC],
        ] {
            for options in Self.allOptions { #expect(units(bytes, options) == nil, "\(bytes)") }
        }
        #expect(units([], .caseInsensitive) == [TextFolding.border])
    }
}
