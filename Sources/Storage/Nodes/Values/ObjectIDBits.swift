/// The twelve bytes of an object identifier: they are ordered by their bytes.
package struct ObjectIDBits: Hashable, Sendable, BitwiseCopyable {
    // Three big-endian words, so that the bytes in memory are in order.
    private var words: (UInt32, UInt32, UInt32)

    /// All zeros.
    package static let zero = ObjectIDBits(high: 0, low: 0)

    /// The first eight bytes, and the last four, as numbers.
    package init(high: UInt64, low: UInt32) {
        words = (
            UInt32(truncatingIfNeeded: high >> 32).bigEndian,
            UInt32(truncatingIfNeeded: high).bigEndian, low.bigEndian
        )
    }

    /// The first eight bytes as a number.
    package var high: UInt64 {
        UInt64(UInt32(bigEndian: words.0)) << 32 | UInt64(UInt32(bigEndian: words.1))
    }

    /// The last four bytes as a number.
    package var low: UInt32 { UInt32(bigEndian: words.2) }

    package static func == (a: ObjectIDBits, b: ObjectIDBits) -> Bool { a.words == b.words }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(high)
        hasher.combine(low)
    }
}

extension ObjectIDBits: CustomStringConvertible {
    /// The 24 hexadecimal digits.
    package var description: String {
        func text(_ value: some BinaryInteger, _ count: Int) -> String {
            let digits = String(value, radix: 16)
            return String(repeating: "0", count: count - digits.count) + digits
        }
        return text(high, 16) + text(low, 8)
    }
}

extension ObjectIDBits: Comparable {
    package static func < (a: ObjectIDBits, b: ObjectIDBits) -> Bool {
        (a.high, a.low) < (b.high, b.low)
    }
}
