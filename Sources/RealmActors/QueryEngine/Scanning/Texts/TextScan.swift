import Storage

/// Texts of a column that contain, begin with, end with or are like another.
package struct TextScan: Sendable {
    let column: Int
    let matcher: TextMatcher
    let isNegated: Bool
    let isNullable: Bool

    func narrow(_ mask: inout ClusterMask, _ cluster: Cluster) {
        mask.narrow(nullable: isNullable, matchesNull: isNegated, column, cluster) { mask in
            guard let chunk = cluster.strings(column) else {
                // Unsafe: an empty buffer, which nothing is read from.
                if matcher.matches(UnsafeRawBufferPointer(start: nil, count: 0)) == isNegated {
                    mask.clear()
                }
                return
            }
            if matcher.isExact, !isNegated {
                narrowExact(&mask, chunk, cluster.slotCount)
            } else {
                mask.filter { matcher.matches(chunk.utf8($0)) != isNegated }
            }
        }
    }

    private func narrowExact(
        _ mask: inout ClusterMask, _ chunk: StringChunk, _ count: Int
    ) {
        // Unsafe: the needle is lent for the scan, and only read.
        matcher.needle.withUnsafeBytes { needle in
            let length = needle.count
            switch matcher.kind {
            case .contains:
                mask.filter { slot in
                    chunk.length(slot) >= length
                        && ByteSearch.contains(chunk.utf8(slot), needle)
                }
            case .beginsWith:
                let head = TextHead.of(matcher.needle)
                let bits = TextHead.bits(ofFirst: length)
                TextHead.narrow(&mask, chunk, count, equalTo: head, in: bits)
                // Short texts are padded with zeros, which a needle may have too.
                if length > TextHead.size || matcher.needle.contains(0) {
                    mask.filter { ByteSearch.begins(chunk.utf8($0), needle) }
                }
            case .endsWith, .equals, .notEquals, .like:
                mask.filter { matcher.matches(chunk.utf8($0)) }
            }
        }
    }
}

/// Searching bytes in bytes.
enum ByteSearch {
    @inline(__always)
    static func begins(_ text: UnsafeRawBufferPointer, _ needle: UnsafeRawBufferPointer) -> Bool {
        text.count >= needle.count && isEqual(text, at: 0, needle)
    }

    @inline(__always)
    static func ends(_ text: UnsafeRawBufferPointer, _ needle: UnsafeRawBufferPointer) -> Bool {
        text.count >= needle.count && isEqual(text, at: text.count &- needle.count, needle)
    }

    /// How many bytes of needles may be compared for each byte of a text, before the search goes on
    /// in a way that takes longer for nearly all texts, and never much longer.
    private static let stepsMax = 8

    /// Whether the needle, which is not empty, occurs in the text.
    @inline(__always)
    static func contains(_ text: UnsafeRawBufferPointer, _ needle: UnsafeRawBufferPointer) -> Bool {
        let length = needle.count
        guard text.count >= length, let start = text.baseAddress else { return false }
        let first = needle[0]
        let last = needle[length &- 1]
        let positions = text.count &- length &+ 1
        var position = 0
        var steps = text.count &* stepsMax
        // Unsafe: both loads end within the text, as position + 16 <= positions.
        while position &+ 16 <= positions {
            let heads = (start + position).loadUnaligned(as: SIMD16<UInt8>.self)
            let tails = (start + position + length - 1).loadUnaligned(as: SIMD16<UInt8>.self)
            let hits = (heads .== first) .& (tails .== last)
            let words = unsafeBitCast(hits, to: SIMD2<UInt64>.self)
            if words[0] | words[1] != 0 {
                for offset in 0..<16 where hits[offset] {
                    let common = common(text, at: position &+ offset, needle)
                    if common == length { return true }
                    steps &-= common
                }
                if steps < 0 { return containsRepetition(text, from: position, needle) }
            }
            position &+= 16
        }
        while position < positions {
            if text[position] == first, text[position &+ length &- 1] == last {
                let common = common(text, at: position, needle)
                if common == length { return true }
                steps &-= common
                if steps < 0 { return containsRepetition(text, from: position, needle) }
            }
            position &+= 1
        }
        return false
    }

    /// The same from a position on, for what repeats itself.
    @inline(never)
    private static func containsRepetition(
        _ text: UnsafeRawBufferPointer, from position: Int, _ needle: UnsafeRawBufferPointer
    ) -> Bool {
        var search = BorderSearch(Array(needle))
        for index in position..<text.count where search.finds(text[index]) { return true }
        return false
    }

    /// How many bytes of the needle stand at `offset`, where the text has room for all of it.
    @inline(__always)
    private static func common(
        _ text: UnsafeRawBufferPointer, at offset: Int, _ needle: UnsafeRawBufferPointer
    ) -> Int {
        var index = 0
        while index < needle.count, text[offset &+ index] == needle[index] { index &+= 1 }
        return index
    }

    /// Whether the needle stands at `offset`, where the text has room for it.
    @inline(__always)
    private static func isEqual(
        _ text: UnsafeRawBufferPointer, at offset: Int, _ needle: UnsafeRawBufferPointer
    ) -> Bool {
        var index = 0
        while index < needle.count {
            if text[offset &+ index] != needle[index] { return false }
            index &+= 1
        }
        return true
    }
}
