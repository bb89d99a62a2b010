import Foundation

/// Texts in the canonical forms of Unicode, in a time that grows with their length.
///
/// Foundation brings the marks of a letter in order by exchanging neighbours, and moves the rest of
/// the text for each letter that gets longer or shorter: both takes a time that grows with the
/// square of the length. So it is given a text in stretches, of which none depends on another, with
/// long runs of marks in order.
package struct CanonicalForm {
    /// Letters with their marks as one character, where Unicode has one.
    package static func composed(_ text: String) -> String { of(text, isComposed: true) }

    /// Letters and their marks apart.
    package static func decomposed(_ text: String) -> String { of(text, isComposed: false) }

    /// The bytes of a text that is short, and the characters behind which a stretch may end.
    private static let lengthMin = 64
    /// The marks in a row that Foundation is left to bring in order.
    private static let runMax = 32

    private static func of(_ text: String, isComposed: Bool) -> String {
        var form = CanonicalForm(isComposed: isComposed)
        if text.utf8.count <= lengthMin { return form.foundation(text) }
        for scalar in text.unicodeScalars { form.append(scalar) }
        return form.end()
    }

    private let isComposed: Bool
    private var result = ""
    private var stretch = String.UnicodeScalarView()
    private var length = 0
    /// The marks behind the stretch, in the order of the text.
    private var marks: [Unicode.Scalar] = []

    private init(isComposed: Bool) { self.isComposed = isComposed }

    private func foundation(_ text: String) -> String {
        isComposed
            ? text.precomposedStringWithCanonicalMapping
            : text.decomposedStringWithCanonicalMapping
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        if Self.combiningClass(scalar) != 0 { return marks.append(scalar) }
        appendMarks()
        if length >= Self.lengthMin, Self.beginsAnew(scalar) { appendForm() }
        stretch.append(scalar)
        length += 1
    }

    private mutating func end() -> String {
        appendMarks()
        appendForm()
        return result
    }

    private mutating func appendForm() {
        result += foundation(String(stretch))
        stretch.removeAll(keepingCapacity: true)
        length = 0
    }

    private mutating func appendMarks() {
        length += marks.count
        if marks.count > Self.runMax {
            // Foundation fails to decompose these behind many marks.
            let parts = marks.flatMap { mark in
                0x340...0x344 ~= mark.value
                    ? Array(String(mark).decomposedStringWithCanonicalMapping.unicodeScalars)
                    : [mark]
            }
            let classes = parts.map(Self.combiningClass)
            let order = parts.indices.sorted { (classes[$0], $0) < (classes[$1], $1) }
            stretch.append(contentsOf: order.map { parts[$0] })
        } else {
            stretch.append(contentsOf: marks)
        }
        marks.removeAll(keepingCapacity: true)
    }

    /// Where a mark stands among those of its letter; 0 of what is none. Of characters that are
    /// newer than what Foundation knows it is 0 there, too.
    static func combiningClass(_ scalar: Unicode.Scalar) -> UInt8 {
        if scalar.value < 0x300 { return 0 }
        let found = scalar.properties.canonicalCombiningClass.rawValue
        return found == 0 || CollationElement.isKnown(scalar) ? found : 0
    }

    /// Whether a character that is no mark is never put together with one before it.
    private static func beginsAnew(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // Vowels and ends of syllables of Hangul; second parts of vowel signs.
        case 0x1160...0x11FF, 0x9BE, 0x9D7, 0xB3E, 0xB56...0xB57, 0xBBE, 0xBD7, 0xCC2,
            0xCD5...0xCD6, 0xD3E, 0xD57, 0xDCF, 0xDDF, 0x102E, 0x1B35, 0x1_1127, 0x1_133E,
            0x1_1357, 0x1_14B0, 0x1_14BA, 0x1_14BD, 0x1_15AF, 0x1_1930:
            false
        default: CollationElement.isKnown(scalar)
        }
    }
}
