import Foundation

/// A text operator with its argument, ready to be asked about UTF-8 bytes.
package struct TextMatcher: Sendable {
    let kind: TextOperator
    let options: StringOptions
    /// The argument's bytes, folded by the options.
    let needle: [UInt8]
    private let pattern: WildcardPattern?
    private let isASCII: Bool

    /// Nil where nothing can match: an empty argument of contains, begins and ends.
    init?(_ kind: TextOperator, _ argument: String, _ options: StringOptions) {
        switch kind {
        case .contains, .beginsWith, .endsWith: if argument.isEmpty { return nil }
        case .equals, .notEquals, .like: break
        }
        self.kind = kind == .notEquals ? .equals : kind
        self.options = options
        let folded = TextFolding.fold(argument, options)
        needle = Array(folded.utf8)
        pattern = kind == .like ? WildcardPattern(folded) : nil
        isASCII = needle.allSatisfy { $0 < 0x80 }
        // A mark alone folds to nothing, and nothing is never found.
        if needle.isEmpty, kind == .contains || kind == .beginsWith || kind == .endsWith {
            return nil
        }
    }

    /// The same for bytes; nil where nothing can match, and for patterns, which bytes have not.
    init?(_ kind: TextOperator, _ bytes: Data) {
        switch kind {
        case .contains, .beginsWith, .endsWith: if bytes.isEmpty { return nil }
        case .equals, .notEquals: break
        case .like: return nil
        }
        self.kind = kind == .notEquals ? .equals : kind
        options = []
        needle = Array(bytes)
        pattern = nil
        isASCII = false
    }

    var isExact: Bool { options.isEmpty }

    func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        if options.isEmpty { return matchesFolded(text) }
        if text.allSatisfy({ $0 < 0x80 }) {
            // ASCII has no diacritics, and only its letters have two cases.
            if !isASCII, pattern == nil { return false }
            guard options.contains(.caseInsensitive) else { return matchesFolded(text) }
            // Unsafe: every byte of the copy is written before it is read.
            return withUnsafeTemporaryAllocation(byteCount: text.count, alignment: 1) { copy in
                for (index, byte) in text.enumerated() { copy[index] = TextFolding.lower(byte) }
                return matchesFolded(UnsafeRawBufferPointer(copy))
            }
        }
        var folded = TextFolding.fold(String(decoding: text, as: UTF8.self), options)
        return folded.withUTF8 { matchesFolded(UnsafeRawBufferPointer($0)) }
    }

    private func matchesFolded(_ text: UnsafeRawBufferPointer) -> Bool {
        // Unsafe: lent for the comparison, which keeps within both buffers.
        needle.withUnsafeBytes { needle in
            switch kind {
            case .contains: ByteSearch.contains(text, needle)
            case .beginsWith: ByteSearch.begins(text, needle)
            case .endsWith: ByteSearch.ends(text, needle)
            case .equals, .notEquals: ByteOrder.compare(text, needle) == 0
            case .like: pattern?.matches(text) ?? false
            }
        }
    }
}

/// Bringing texts to a form in which differences of case or diacritical marks are gone.
enum TextFolding {
    static func fold(_ text: String, _ options: StringOptions) -> String {
        if options.isEmpty { return text }
        var folded = text.decomposedStringWithCanonicalMapping
        if options.contains(.diacriticInsensitive) {
            var scalars = String.UnicodeScalarView()
            for scalar in folded.unicodeScalars
            where scalar.properties.generalCategory != .nonspacingMark {
                scalars.append(scalar)
            }
            folded = String(scalars)
        }
        guard options.contains(.caseInsensitive) else { return folded }
        // Upper case first: letters with two lower cases, like sigma, come together.
        return folded.uppercased().lowercased().decomposedStringWithCanonicalMapping
    }

    @inline(__always)
    static func lower(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }
}
