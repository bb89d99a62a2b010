extension Character {
    /// How many columns a terminal shows it in.
    var columns: Int {
        if unicodeScalars.contains(where: { $0.isWide || $0 == "\u{FE0F}" }) { return 2 }
        return unicodeScalars.allSatisfy(\.isMark) ? 0 : 1
    }
}

extension StringProtocol {
    /// How many columns a terminal shows it in.
    var columns: Int { reduce(0) { $0 + $1.columns } }

    /// What of it goes into so many columns.
    func prefix(columns: Int) -> SubSequence {
        var left = columns
        return prefix { character in
            left -= character.columns
            return left >= 0
        }
    }
}

extension Unicode.Scalar {
    /// What is drawn upon the character before, or not at all.
    fileprivate var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: true
        default: false
        }
    }

    /// The characters of East Asia that Unicode calls wide, and the pictures.
    fileprivate var isWide: Bool {
        properties.isEmojiPresentation || Self.wide.contains { $0.contains(value) }
    }

    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0xA4CF,
        0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
        0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1B000...0x1B2FF, 0x20000...0x3FFFD,
    ]
}
