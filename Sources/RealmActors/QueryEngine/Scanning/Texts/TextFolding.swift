import Storage

/// Folds texts to a form without differences of case or diacritical marks.
///
/// A letter with all its marks is one unit: a letter that folds to two, like a sharp s, equals
/// neither of them alone, and marks are never separated from their letter.
enum TextFolding {
    /// Separates units. It is not a byte of UTF-8, so that matches begin and end at units.
    static let border: UInt8 = 0xFF

    /// The units of a text with borders around them.
    static func units(of text: String, _ options: StringOptions) -> [UInt8] {
        var bytes: [UInt8] = [border]
        bytes.reserveCapacity(text.utf8.count * 2 + 1)
        appendUnits(of: text, options, to: &bytes)
        return bytes
    }

    /// Appends the units, each with a border after it.
    static func appendUnits(of text: String, _ options: StringOptions, to bytes: inout [UInt8]) {
        for letter in text {
            if let ascii = letter.utf8.first, ascii < 0x80, letter.utf8.count == 1 {
                bytes.append(options.contains(.caseInsensitive) ? lower(ascii) : ascii)
            } else if letter.utf8.elementsEqual("\r\n".utf8) {
                bytes += [UInt8(ascii: "\r"), border, UInt8(ascii: "\n")]
            } else {
                let count = bytes.count
                bytes += fold(String(letter), options).utf8
                // A mark alone is nothing without marks.
                if bytes.count == count { continue }
            }
            bytes.append(border)
        }
    }

    private static func fold(_ letter: String, _ options: StringOptions) -> String {
        var folded = CanonicalForm.decomposed(letter)
        if options.contains(.diacriticInsensitive) {
            var scalars = String.UnicodeScalarView()
            for scalar in folded.unicodeScalars
            where scalar.properties.generalCategory != .nonspacingMark {
                scalars.append(scalar)
            }
            folded = String(scalars)
        }
        guard options.contains(.caseInsensitive) else { return folded }
        // There and back: letters with two lower or upper cases, like sigma, come together.
        return CanonicalForm.decomposed(folded.lowercased().uppercased().lowercased())
    }

    /// Whether a text has bytes below 0x80 only.
    @inline(__always)
    static func isASCII(_ text: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        var bits: UInt64 = 0
        // Unsafe: eight bytes are loaded only where the text has them.
        while index &+ 8 <= text.count {
            bits |= text.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            index &+= 8
        }
        while index < text.count {
            bits |= UInt64(text[index])
            index &+= 1
        }
        return bits & 0x8080_8080_8080_8080 == 0
    }

    @inline(__always)
    static func lower(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }
}
