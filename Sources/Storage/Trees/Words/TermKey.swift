/// A term as the key of an index entry: its first characters, packed so that terms with a common
/// prefix are contiguous.
///
/// Each character is a prefix-free code of 6 to 26 bits. 60 bits contain characters: ten Latin
/// letters, four Cyrillic ones, three ideographs. The last four bits are 0 if that is the whole
/// term, otherwise 1 to 15, a hash of all of it.
package struct TermKey: Sendable, Hashable {
    /// The version of the rules for the terms of texts and the keys of terms. A different key for
    /// any text requires a higher one: then existing indexes are rebuilt.
    static let version: UInt8 = 2
    /// The version of indexes that do not record one.
    static let firstVersion: UInt8 = 1
    /// The version of an index that is not maintained.
    static let noVersion: UInt8 = 0

    package private(set) var bits: UInt64 = 0
    private var used = 0
    private var hash: UInt32 = 2_166_136_261

    private static let room = 60

    /// Whether no other term has the key.
    package var isExact: Bool { used <= Self.room }

    /// The key of a folded term.
    package init(_ term: UnsafeRawBufferPointer) {
        var index = 0
        while index < term.count {
            let byte = term[index]
            if byte < 0x80 {
                append(UInt64(byte >= 0x61 ? byte &- 0x60 : byte &- 0x30 &+ 27) & 0x3F, 6)
                index += 1
            } else {
                index += append(beyondASCII: term, at: index)
            }
        }
        if !isExact { bits |= UInt64(hash % 15 + 1) }
    }

    /// The keys of all terms that begin with this one, and of others if it is not exact.
    package var prefixKeys: ClosedRange<UInt64> {
        let open = UInt64.max >> UInt64(min(used, Self.room))
        return (bits & ~open)...(bits | open)
    }

    private mutating func append(_ code: UInt64, _ width: Int) {
        hash = (hash ^ UInt32(truncatingIfNeeded: code)) &* 16_777_619
        let free = Self.room - used
        if free > 0 {
            // The code is truncated to the available bits.
            let kept = width > free ? code >> UInt64(width - free) : code
            bits |= kept << UInt64(64 - used - min(width, free))
        }
        used += width
    }

    /// Appends the character that begins at `index`; returns its number of bytes.
    private mutating func append(beyondASCII term: UnsafeRawBufferPointer, at index: Int) -> Int {
        let first = term[index]
        let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
        var scalar = UInt64(first) & (0x7F >> UInt64(length))
        for next in index + 1..<min(index + length, term.count) {
            scalar = scalar << 6 | UInt64(term[next] & 0x3F)
        }
        if scalar < 0x800 {
            append(37 << 7 + (scalar &- 0x80), 13)
        } else if scalar < 0x10000 {
            append(52 << 13 + (scalar &- 0x800), 19)
        } else {
            append(60 << 20 + (scalar &- 0x10000), 26)
        }
        return length
    }
}

extension TermKey {
    /// The keys of the terms of a text, ascending, each once.
    package static func keys(of text: UnsafeRawBufferPointer) -> [UInt64] {
        var keys: [UInt64] = []
        TermScanner.forEach(in: text) { keys.append(TermKey($0.bytes).bits) }
        let count = sortAndDropRepeated(&keys)
        keys.removeLast(keys.count - count)
        return keys
    }

    /// Sorts the keys of the terms of a text; returns the number of distinct ones, which come
    /// first.
    package static func sortAndDropRepeated(_ keys: inout [UInt64]) -> Int {
        if keys.count < 2 { return keys.count }
        keys.sort()
        var count = 1
        for index in 1..<keys.count where keys[index] != keys[count - 1] {
            keys[count] = keys[index]
            count += 1
        }
        return count
    }
}
