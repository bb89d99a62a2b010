/// A text as bytes whose order is the natural order of texts, independent of the language.
///
///     primary     the letters and digits in order; words precede longer ones
///     02, marks   the marks on letters: for each 2 bytes place, 2 bytes of the mark
///     02, shapes  capitals and other shapes of letters: for each 2 bytes place, 1 byte
///     02, rest    characters that are otherwise ignored: for each 2 bytes place, 3 bytes of it
///
/// all big-endian. A place is FFFF minus the number of primaries before it, so that the first
/// difference decides; after FC00 primaries, all have the same place. Empty parts at the end are
/// omitted, with the 02 before them. A primary is
///
///     03          a space or a dash
///     04 to 0D    a digit
///     10 to 29    a letter from a to z
///     30          any other character that counts, and 3 bytes: its number in Unicode
///
/// Equal texts in Unicode's sense (canonical equivalents) have the same key. The properties that
/// keys are derived from never change for characters of Unicode 15.0; later characters are
/// represented by their numbers.
package enum CollationKey {
    /// Stored with an index. Any change to the keys of some texts requires another version.
    package static let version: UInt8 = 1

    private static let separator: UInt8 = 2

    /// The key of a text in UTF-8.
    package static func bytes(of text: UnsafeRawBufferPointer) -> [UInt8] {
        var writer = CollationWriter(capacity: text.count + 8)
        if !writer.writeASCII(text) {
            writer = CollationWriter(capacity: text.count + 8)
            for scalar in scalars(of: String(decoding: text, as: UTF8.self)) {
                for element in CollationElement.of(scalar) { writer.write(element) }
            }
        }
        return writer.bytes(separator)
    }

    /// The key of a text.
    package static func bytes(of text: String) -> [UInt8] {
        var text = text
        // Unsafe: lent for the call.
        return text.withUTF8 { bytes(of: UnsafeRawBufferPointer($0)) }
    }

    /// The characters of a text in one order, with those composed that a script writes in parts.
    private static func scalars(of text: String) -> String.UnicodeScalarView {
        let isInParts = text.unicodeScalars.contains { scalar in
            switch scalar.value {
            case 0x1100...0x11FF, 0xA960...0xA97F, 0xD7B0...0xD7FF: true
            default: CollationElement.isMark(scalar)
            }
        }
        return isInParts
            ? CanonicalForm.composed(text).unicodeScalars : text.unicodeScalars
    }
}

/// Assembles the parts of a key.
private struct CollationWriter {
    private var primaries: [UInt8] = []
    private var marks: [UInt8] = []
    private var shapes: [UInt8] = []
    private var rest: [UInt8] = []
    private var count = 0

    init(capacity: Int) { primaries.reserveCapacity(capacity) }

    /// False if the text has other characters; the written bytes are then invalid.
    mutating func writeASCII(_ text: UnsafeRawBufferPointer) -> Bool {
        for byte in text {
            if byte >= 0x80 { return false }
            write(CollationElement.ascii[Int(byte)])
        }
        return true
    }

    mutating func write(_ element: CollationElement) {
        switch element {
        case .primary(let byte, let shape):
            primaries.append(byte)
            note(shape)
        case .other(let number, let shape):
            primaries.append(0x30)
            Self.append(number, 3, to: &primaries)
            note(shape)
        case .mark(let number):
            appendPlace(of: max(0, count - 1), to: &marks)
            Self.append(number, 2, to: &marks)
        case .ignorable(let number):
            appendPlace(of: count, to: &rest)
            Self.append(number, 3, to: &rest)
        }
    }

    private mutating func note(_ shape: CollationElement.Shape) {
        if shape != .plain {
            appendPlace(of: count, to: &shapes)
            shapes.append(shape.rawValue)
        }
        count += 1
    }

    private func appendPlace(of position: Int, to bytes: inout [UInt8]) {
        Self.append(UInt32(0xFFFF - min(position, 0xFC00)), 2, to: &bytes)
    }

    private static func append(_ number: UInt32, _ length: Int, to bytes: inout [UInt8]) {
        for index in (0..<length).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: number >> UInt32(index * 8)))
        }
    }

    func bytes(_ separator: UInt8) -> [UInt8] {
        if marks.isEmpty, shapes.isEmpty, rest.isEmpty { return primaries }
        var bytes = primaries
        bytes += [separator] + marks
        if shapes.isEmpty, rest.isEmpty { return bytes }
        bytes += [separator] + shapes
        return rest.isEmpty ? bytes : bytes + [separator] + rest
    }
}
