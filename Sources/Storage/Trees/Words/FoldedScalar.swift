import Foundation

/// What a character beyond ASCII is in a full-text index.
enum FoldedScalar: Sendable {
    /// Stands between words.
    case separator
    /// Is not there: marks on letters, soft hyphens, joiners.
    case ignored
    /// A letter or digit, folded, as UTF-8.
    case letter([UInt8])
    /// Belongs to the letter before it and is kept, as vowel signs of Indic scripts are.
    case mark([UInt8])
    /// Of a script that puts no spaces between words.
    case unspaced

    /// Of the scripts that texts have most often, worked out once.
    private static let common = (0..<0x600).map { number in
        Unicode.Scalar(UInt32(number)).map { make($0) } ?? .separator
    }

    static func of(_ scalar: Unicode.Scalar) -> FoldedScalar {
        scalar.value < common.count ? common[Int(scalar.value)] : make(scalar)
    }

    /// Whether a text has characters in parts that are taken as one, or several for one ideograph.
    static func isInParts(_ text: String) -> Bool {
        text.unicodeScalars.contains {
            switch $0.value {
            case 0x1100...0x11FF, 0x3099...0x309A, 0xF900...0xFAFF, 0x2_F800...0x2_FA1F: true
            default: false
            }
        }
    }

    /// The characters of a text in parts, put together.
    struct Composed {
        let scalars: String.UnicodeScalarView
        /// How many bytes of the text each of them was.
        let widths: [Int]

        init(_ text: String) {
            scalars = CanonicalForm.composed(text).unicodeScalars
            // Parts are put together within characters as people see them, and not across.
            var widths: [Int] = []
            for character in text {
                let parts = CanonicalForm.composed(String(character)).unicodeScalars
                widths.append(character.utf8.count)
                widths += repeatElement(0, count: parts.count - 1)
            }
            if widths.count != scalars.count {
                // Whatever Unicode may come to: all of it stands for the first.
                widths = [text.utf8.count] + Array(repeating: 0, count: scalars.count - 1)
            }
            self.widths = widths
        }
    }

    private static func make(_ scalar: Unicode.Scalar) -> FoldedScalar {
        // Letters as wide as ideographs are the same letters.
        if 0xFF01...0xFF5E ~= scalar.value, let narrow = Unicode.Scalar(scalar.value - 0xFEE0) {
            return of(narrow)
        }
        if isUnspaced(scalar) { return .unspaced }
        let category = scalar.properties.generalCategory
        if letters.contains(category) { return .letter(fold(scalar)) }
        // Scripts without spaces mark the borders of words by it.
        if scalar.value == 0x200B { return .separator }
        if category == .format || isDiacritic(scalar) { return .ignored }
        guard marks.contains(category) else { return .separator }
        return .mark(Array(String(scalar).decomposedStringWithCanonicalMapping.utf8))
    }

    private static let letters: Set<Unicode.GeneralCategory> = [
        .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
        .decimalNumber, .letterNumber, .otherNumber,
    ]

    private static let marks: Set<Unicode.GeneralCategory> = [
        .nonspacingMark, .enclosingMark, .spacingMark,
    ]

    /// Without case and marks. There and back, for letters with two lower or upper cases.
    private static func fold(_ scalar: Unicode.Scalar) -> [UInt8] {
        let bare = withoutDiacritics(String(scalar))
        return Array(withoutDiacritics(bare.lowercased().uppercased().lowercased()).utf8)
    }

    private static func withoutDiacritics(_ text: String) -> String {
        var scalars = text.decomposedStringWithCanonicalMapping.unicodeScalars
        scalars.removeAll(where: isDiacritic)
        return String(scalars)
    }

    /// Marks that a letter is the same letter without: those of Latin, Greek and Cyrillic, and the
    /// points of Hebrew and Arabic.
    private static func isDiacritic(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x300...0x36F, 0x483...0x489, 0x591...0x5C7, 0x610...0x61A, 0x64B...0x65F, 0x670,
            0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE00...0xFE0F, 0xFE20...0xFE2F:
            true
        default: false
        }
    }

    private static func isUnspaced(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x3005, 0x303B, 0x3041...0x3096, 0x309D...0x309E, 0x30A1...0x30FA, 0x30FC...0x30FF,
            0x31F0...0x31FF, 0xAC00...0xD7A3:
            true
        default: scalar.properties.isIdeographic
        }
    }
}
