import Foundation

/// The role of a character beyond ASCII in a full-text index. Any change of this for a character
/// requires another ``TermKey/version``.
enum FoldedScalar: Sendable {
    /// Separates words.
    case separator
    /// Ignored: marks on letters, soft hyphens, joiners.
    case ignored
    /// A letter or digit, folded, as UTF-8, with the kept marks that it is composed of.
    case letter([UInt8], [Mark])
    /// Marks of the preceding letter that are kept, such as vowel signs of Indic scripts.
    case marks([Mark])
    /// A character of a script without spaces between words.
    case unspaced

    /// A mark that is kept.
    struct Mark: Sendable {
        /// The sort order among the marks of a letter, independent of how they are written; 0 keeps
        /// the written order.
        let place: UInt8
        let bytes: [UInt8]

        init(_ scalar: Unicode.Scalar) {
            place = CanonicalForm.combiningClass(scalar)
            bytes = Array(String(scalar).utf8)
        }
    }

    /// The roles in the most frequent scripts, computed once.
    private static let common = (0..<0x600).map { number in
        Unicode.Scalar(UInt32(number)).map { make($0) } ?? .separator
    }

    static func of(_ scalar: Unicode.Scalar) -> FoldedScalar {
        scalar.value < common.count ? common[Int(scalar.value)] : make(scalar)
    }

    /// Whether a text has decomposed characters that are treated as one, or different characters
    /// for the same ideograph.
    static func isInParts(_ text: String) -> Bool {
        text.unicodeScalars.contains {
            switch $0.value {
            case 0x1100...0x11FF, 0x3099...0x309A, 0xF900...0xFAFF, 0x2_F800...0x2_FA1F: true
            default: false
            }
        }
    }

    /// The composed characters of a text.
    struct Composed {
        let scalars: String.UnicodeScalarView
        /// The number of bytes in the text of each character.
        let widths: [Int]

        init(_ text: String) {
            scalars = CanonicalForm.composed(text).unicodeScalars
            // Composes within grapheme clusters, not across them.
            var widths: [Int] = []
            for character in text {
                let parts = CanonicalForm.composed(String(character)).unicodeScalars
                widths.append(character.utf8.count)
                widths += repeatElement(0, count: parts.count - 1)
            }
            if widths.count != scalars.count {
                // If a cluster has several composed characters, all of its bytes count for the
                // first.
                widths = [text.utf8.count] + Array(repeating: 0, count: scalars.count - 1)
            }
            self.widths = widths
        }
    }

    private static func make(_ scalar: Unicode.Scalar) -> FoldedScalar {
        // Fullwidth letters are equal to the normal ones.
        if 0xFF01...0xFF5E ~= scalar.value, let narrow = Unicode.Scalar(scalar.value - 0xFEE0) {
            return of(narrow)
        }
        if isUnspaced(scalar) { return .unspaced }
        if isDiacritic(scalar) { return .ignored }
        // Scalars that are newer than some supported runtimes separate words in all runtimes.
        guard CollationElement.isKnown(scalar) else { return .separator }
        let category = scalar.properties.generalCategory
        if letterCategories.contains(category) { return folded(scalar) }
        // Scripts without spaces mark word boundaries with it.
        if scalar.value == 0x200B { return .separator }
        if category == .format { return .ignored }
        guard markCategories.contains(category) else { return .separator }
        let parts = String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars
        return .marks(parts.map { Mark($0) })
    }

    private static let letterCategories: Set<Unicode.GeneralCategory> = [
        .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
        .decimalNumber, .letterNumber, .otherNumber,
    ]

    private static let markCategories: Set<Unicode.GeneralCategory> = [
        .nonspacingMark, .enclosingMark, .spacingMark,
    ]

    /// A letter without case and diacritics. Converted both ways, for letters with two lowercase or
    /// uppercase forms.
    private static func folded(_ scalar: Unicode.Scalar) -> FoldedScalar {
        let bare = withoutDiacritics(String(scalar))
        var scalars = withoutDiacritics(bare.lowercased().uppercased().lowercased()).unicodeScalars
        var marks: [Mark] = []
        while let last = scalars.last, CanonicalForm.combiningClass(last) != 0 {
            marks.insert(Mark(last), at: 0)
            scalars.removeLast()
        }
        return .letter(Array(String(scalars).utf8), marks)
    }

    private static func withoutDiacritics(_ text: String) -> String {
        var scalars = text.decomposedStringWithCanonicalMapping.unicodeScalars
        scalars.removeAll(where: isDiacritic)
        return String(scalars)
    }

    /// Marks that do not distinguish letters: those of Latin, Greek and Cyrillic, the points and
    /// accents of Hebrew and Arabic, and variation selectors. Not the other characters in these
    /// ranges, which are not marks: the maqaf and other punctuation of Hebrew, signs of the Quran.
    private static func isDiacritic(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x300...0x36F, 0x483...0x489, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF,
            0x2DE0...0x2DFF, 0xA66F...0xA672, 0xA674...0xA67D, 0xA69E...0xA69F, 0xFE20...0xFE2F,
            0x1_E08F:
            true
        case 0x591...0x5BD, 0x5BF, 0x5C1...0x5C2, 0x5C4...0x5C5, 0x5C7, 0xFB1E: true
        case 0x610...0x61A, 0x64B...0x65F, 0x670, 0x6D6...0x6DC, 0x6DF...0x6E8,
            0x6EA...0x6ED, 0x897...0x89F, 0x8CA...0x8E1, 0x8E3...0x8FF, 0x1_0EFC...0x1_0EFF:
            true
        case 0xFE00...0xFE0F, 0xE_0100...0xE_01EF: true
        default: false
        }
    }

    private static func isUnspaced(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x3005, 0x303B, 0x3041...0x3096, 0x309D...0x309E, 0x30A1...0x30FA, 0x30FC...0x30FF,
            0x31F0...0x31FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xAC00...0xD7A3:
            true
        // Planes of ideographs, to which Unicode still adds some.
        case 0x2_0000...0x2_FFFD, 0x3_0000...0x3_FFFD: true
        default: scalar.properties.isIdeographic && CollationElement.isKnown(scalar)
        }
    }
}
