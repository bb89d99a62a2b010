import Foundation

/// What one character, or a part of it, contributes to the order of a text.
enum CollationElement: Sendable {
    /// The shape of a letter relative to its plain form, which comes first.
    enum Shape: UInt8, Sendable {
        case plain = 0
        case capital = 3
        case variant
    }

    case primary(UInt8, Shape)
    /// A letter of a script beyond a to z, by its number.
    case other(UInt32, Shape)
    /// A mark on the preceding letter.
    case mark(UInt32)
    /// Ignorable: compared only between texts that are otherwise equal.
    case ignorable(UInt32)

    private static let space: UInt8 = 0x03
    private static let digits: UInt8 = 0x04
    private static let letters: UInt8 = 0x10

    static let ascii: [CollationElement] = (0..<128).map { number in
        switch UInt8(number) {
        case 0x30...0x39: .primary(digits + UInt8(number) - 0x30, .plain)
        case 0x61...0x7A: .primary(letters + UInt8(number) - 0x61, .plain)
        case 0x41...0x5A: .primary(letters + UInt8(number) - 0x41, .capital)
        // Tab, line feed, return, space, hyphen, slash, low line.
        case 0x09, 0x0A, 0x0D, 0x20, 0x2D, 0x2F, 0x5F: .primary(space, .plain)
        default: .ignorable(UInt32(number))
        }
    }

    /// The elements of the most frequent scripts, computed once.
    private static let common = (0..<0x600).map { number in
        Unicode.Scalar(UInt32(number)).map { make($0) } ?? []
    }

    static func of(_ scalar: Unicode.Scalar) -> [CollationElement] {
        scalar.value < common.count ? common[Int(scalar.value)] : make(scalar)
    }

    private static func make(_ scalar: Unicode.Scalar) -> [CollationElement] {
        let number = scalar.value
        if number < 0x80 { return [ascii[Int(number)]] }
        if isMark(scalar) { return [.mark(number)] }
        // Letters that are not decomposed, although they contain a mark: they are separate letters.
        if let lower = ownLetters[number] {
            return [.other(lower, lower == number ? .plain : .capital)]
        }
        if let parts = expansions[number] { return parts }
        switch number {
        // Fullwidth letters are equal to the normal ones.
        case 0xFF01...0xFF5E: return reshaped(number - 0xFEE0)
        // Katakana are equal to the Hiragana of the same sound.
        case 0x30A1...0x30F6: return reshaped(number - 0x60)
        case 0x00A0, 0x2000...0x200A, 0x2010...0x2015, 0x202F, 0x205F, 0x3000:
            return [.primary(space, .plain)]
        // Quotation marks, modifiers, invisible characters, punctuation of all scripts.
        case 0x0080...0x009F, 0x00A1, 0x00AB, 0x00AD, 0x00B4, 0x00B7, 0x00B8, 0x00BB, 0x00BF,
            0x02B9...0x02DF, 0x037E, 0x0387, 0x055A...0x055F, 0x05F3...0x05F4, 0x060C, 0x061B,
            0x061F, 0x0640, 0x200B...0x200F, 0x2016...0x202E, 0x2030...0x205E, 0x2060...0x206F,
            0x20A0...0x20CF,
            0x3001...0x3003, 0x3008...0x3011, 0x3014...0x301F, 0xFEFF:
            return [.ignorable(number)]
        // The numbers of ideographs and Hangul syllables are in the order of the scripts.
        case 0x3400...0x9FFF, 0xAC00...0xD7A3: return [.other(number, .plain)]
        default: return isKnown(scalar) ? decomposed(scalar) : [.other(number, .plain)]
        }
    }

    /// Whether Unicode 15.0 had the character, so that its properties no longer change. The keys of
    /// texts and the terms of full-text indexes rely on this: a later Unicode version requires new
    /// versions of both.
    static func isKnown(_ scalar: Unicode.Scalar) -> Bool {
        guard let age = scalar.properties.age else { return false }
        return age.major <= 15 && (age.major < 15 || age.minor == 0)
    }

    private static func decomposed(_ scalar: Unicode.Scalar) -> [CollationElement] {
        let parts = Array(String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars)
        if parts.count > 1 || parts.first != scalar { return parts.flatMap { make($0) } }
        let lower = Array(scalar.properties.lowercaseMapping.unicodeScalars)
        if lower.count == 1, lower[0] != scalar, isKnown(lower[0]) {
            return make(lower[0]).map { $0.shaped(.capital) }
        }
        return [.other(scalar.value, .plain)]
    }

    private static func reshaped(_ number: UInt32) -> [CollationElement] {
        guard let scalar = Unicode.Scalar(number) else { return [] }
        return make(scalar).map { $0.shaped(.variant) }
    }

    private func shaped(_ shape: Shape) -> CollationElement {
        switch self {
        case .primary(let byte, .plain): .primary(byte, shape)
        case .other(let number, .plain): .other(number, shape)
        case .primary, .other, .mark, .ignorable: self
        }
    }

    /// A stroke through a letter, represented by the combining mark.
    private static let stroke: UInt32 = 0x0335
    /// Marks letters that are written as a ligature.
    private static let joined: UInt32 = 0x035C

    private static func letter(_ character: Unicode.Scalar) -> CollationElement {
        ascii[Int(character.value)]
    }

    /// Letters that Unicode does not decompose, but that are sorted with others.
    private static let expansions: [UInt32: [CollationElement]] = {
        var table: [UInt32: [CollationElement]] = [:]
        let stroked: [(Unicode.Scalar, Unicode.Scalar)] = [
            ("\u{D8}", "O"), ("\u{F8}", "o"), ("\u{110}", "D"), ("\u{111}", "d"), ("\u{D0}", "D"),
            ("\u{F0}", "d"), ("\u{126}", "H"), ("\u{127}", "h"), ("\u{131}", "i"),
            ("\u{141}", "L"), ("\u{142}", "l"), ("\u{166}", "T"), ("\u{167}", "t"),
            ("\u{180}", "b"), ("\u{197}", "I"), ("\u{268}", "i"), ("\u{1E5}", "g"),
            ("\u{1E4}", "G"),
        ]
        for (scalar, base) in stroked { table[scalar.value] = [letter(base), .mark(stroke)] }
        let pairs: [(Unicode.Scalar, Unicode.Scalar, Unicode.Scalar)] = [
            ("\u{C6}", "A", "E"), ("\u{E6}", "a", "e"), ("\u{152}", "O", "E"),
            ("\u{153}", "o", "e"), ("\u{DF}", "s", "s"), ("\u{1E9E}", "S", "S"),
            ("\u{DE}", "T", "H"), ("\u{FE}", "t", "h"), ("\u{132}", "I", "J"),
            ("\u{133}", "i", "j"), ("\u{14A}", "N", "G"), ("\u{14B}", "n", "g"),
            ("\u{FB01}", "f", "i"), ("\u{FB02}", "f", "l"),
        ]
        for (scalar, first, second) in pairs {
            table[scalar.value] = [letter(first), letter(second), .mark(joined)]
        }
        // The sigma at the end of words.
        table[0x3C2] = [.other(0x3C3, .variant)]
        return table
    }()

    /// The short I of Cyrillic, and its small form.
    private static let ownLetters: [UInt32: UInt32] = [0x419: 0x439, 0x439: 0x439]

    /// Marks without which a letter is nearly the same letter.
    static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x300...0x36F, 0x483...0x489, 0x591...0x5BD, 0x5BF, 0x5C1...0x5C2, 0x5C4...0x5C5,
            0x5C7, 0x610...0x61A, 0x64B...0x65F, 0x670, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF,
            0x20D0...0x20FF, 0x3099...0x309A, 0xFE00...0xFE0F, 0xFE20...0xFE2F:
            true
        default: false
        }
    }
}
