import Foundation

/// Converts texts to the canonical forms of Unicode, in linear time.
///
/// Foundation sorts the marks of a letter by exchanging neighbours, and moves the rest of the text
/// for each letter whose length changes: both take quadratic time. So it gets the text in
/// independent stretches, in which long runs of marks are already sorted.
package struct CanonicalForm {
    /// Composes letters with their marks, where Unicode has a composed character.
    package static func composed(_ text: String) -> String { of(text, isComposed: true) }

    /// Decomposes letters and their marks.
    package static func decomposed(_ text: String) -> String { of(text, isComposed: false) }

    /// The size of a short text, and the number of characters after which a stretch may end.
    private static let lengthMin = 64
    /// The length of a run of marks that Foundation may sort.
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
    /// The marks after the stretch, in the order of the text.
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
            // Foundation fails to decompose these after many marks.
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

    /// The canonical combining class of a mark; 0 for other characters, also for marks that are
    /// newer than Foundation's data.
    static func combiningClass(_ scalar: Unicode.Scalar) -> UInt8 {
        if scalar.value < 0x300 { return 0 }
        let found = scalar.properties.canonicalCombiningClass.rawValue
        return found == 0 || CollationElement.isKnown(scalar) ? found : 0
    }

    /// Whether a character that is not a mark is never composed with a preceding one.
    private static func beginsAnew(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // Vowels and finals of Hangul syllables, and second parts of vowel signs.
        case 0x1160...0x11FF, 0x9BE, 0x9D7, 0xB3E, 0xB56...0xB57, 0xBBE, 0xBD7, 0xCC2,
            0xCD5...0xCD6, 0xD3E, 0xD57, 0xDCF, 0xDDF, 0x102E, 0x1B35, 0x1_1127, 0x1_133E,
            0x1_1357, 0x1_14B0, 0x1_14BA, 0x1_14BD, 0x1_15AF, 0x1_1930:
            false
        default: CollationElement.isKnown(scalar)
        }
    }
}
