import Foundation

/// A text operator with its argument, prepared to match UTF-8 bytes.
package struct TextMatcher: Sendable {
    let kind: TextOperator
    let options: StringOptions
    /// Whether the argument is bytes: those match bytes only, and texts match texts only, also
    /// where a value may be of any type.
    let isOfBytes: Bool
    /// The argument's bytes; with options, folded, as a text of ASCII has them.
    let needle: [UInt8]
    /// With options, the units of the argument with borders around them.
    private let units: [UInt8]
    private let pattern: WildcardPattern?
    private let unitPattern: WildcardPattern?
    /// Whether a text of ASCII may match: each unit of the argument is one byte of it.
    private let isASCII: Bool

    /// Nil where nothing can match: an empty argument of contains, begins and ends. The argument
    /// may be the text that bytes are in UTF-8.
    init?(
        _ kind: TextOperator, _ argument: String, _ options: StringOptions, isOfBytes: Bool = false
    ) {
        self.kind = kind.positive
        self.options = options
        self.isOfBytes = isOfBytes
        if options.isEmpty {
            needle = Array(argument.utf8)
            (units, isASCII, unitPattern) = ([], false, nil)
            pattern = kind.takesPattern ? WildcardPattern(argument) : nil
        } else {
            units = TextFolding.units(of: argument, options)
            needle = units.filter { $0 != TextFolding.border }
            // A border, and then each unit and its border.
            isASCII = units.count == 2 * needle.count + 1 && needle.allSatisfy { $0 < 0x80 }
            let isPattern = kind.takesPattern
            pattern = isPattern ? WildcardPattern(argument, lowercased: options) : nil
            unitPattern = isPattern ? WildcardPattern(argument, unitsWith: options) : nil
        }
        // A mark alone folds to nothing, and nothing is never found.
        if needle.isEmpty, kind.needsBytes { return nil }
    }

    /// The same for bytes; nil where nothing can match, and for patterns, which bytes have not.
    init?(_ kind: TextOperator, _ bytes: Data) {
        if kind.takesPattern || kind.needsBytes && bytes.isEmpty { return nil }
        self.kind = kind.positive
        options = []
        isOfBytes = true
        needle = Array(bytes)
        (units, isASCII, pattern, unitPattern) = ([], false, nil, nil)
    }

    var isExact: Bool { options.isEmpty }

    func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        if options.isEmpty { return matches(text, needle, pattern, ExactBytes.self) }
        if TextFolding.isASCII(text) { return matchesASCII(text) }
        // Unsafe: every byte of the units is written before it is read, and both are borrowed for
        // the comparison.
        return withUnsafeTemporaryAllocation(
            byteCount: TextUnits.capacity(for: text), alignment: 1
        ) { buffer in
            if let count = TextUnits.write(text, FoldingTable.of(options), into: buffer) {
                // Unsafe: the part that was written.
                return matchesUnits(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
            let folded = TextFolding.units(of: String(decoding: text, as: UTF8.self), options)
            // Unsafe: borrowed for the comparison.
            return folded.withUnsafeBytes { matchesUnits($0) }
        }
    }

    /// ASCII has no diacritics, and only its letters have two cases.
    @inline(__always)
    private func matchesASCII(_ text: UnsafeRawBufferPointer) -> Bool {
        guard let pattern else {
            if !isASCII { return false }
            return options.contains(.caseInsensitive)
                ? matches(text, needle, nil, LowerBytes.self)
                : matches(text, needle, nil, ExactBytes.self)
        }
        guard options.contains(.caseInsensitive) else { return pattern.matches(text) }
        // Unsafe: every byte of the copy is written before it is read.
        return withUnsafeTemporaryAllocation(byteCount: text.count, alignment: 1) { copy in
            for (index, byte) in text.enumerated() { copy[index] = TextFolding.lower(byte) }
            return pattern.matches(UnsafeRawBufferPointer(copy))
        }
    }

    private func matchesUnits(_ text: UnsafeRawBufferPointer) -> Bool {
        // The borders at both ends of the argument occur everywhere in a text.
        matches(text, units, unitPattern, ExactBytes.self, edge: 1)
    }

    @inline(__always)
    private func matches<Reading: ByteReading>(
        _ text: UnsafeRawBufferPointer, _ needle: [UInt8], _ pattern: WildcardPattern?,
        _ reading: Reading.Type, edge: Int = 0
    ) -> Bool {
        // Unsafe: borrowed for the comparison, which keeps within both buffers.
        needle.withUnsafeBytes { needle in
            switch kind {
            case .contains: ByteSearch<Reading>.contains(text, needle, edge: edge)
            case .beginsWith: ByteSearch<Reading>.begins(text, needle)
            case .endsWith: ByteSearch<Reading>.ends(text, needle)
            case .equals, .notEquals: ByteSearch<Reading>.equals(text, needle)
            case .like: pattern?.matches(text) ?? false
            }
        }
    }
}
