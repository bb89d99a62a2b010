/// What bytes of a text are taken for in a search.
protocol ByteReading {
    static func read(_ byte: UInt8) -> UInt8
    static func read(_ bytes: SIMD16<UInt8>) -> SIMD16<UInt8>
}

/// As they are.
enum ExactBytes: ByteReading {
    @inline(__always)
    static func read(_ byte: UInt8) -> UInt8 { byte }

    @inline(__always)
    static func read(_ bytes: SIMD16<UInt8>) -> SIMD16<UInt8> { bytes }
}

/// Capital letters of ASCII as small ones.
enum LowerBytes: ByteReading {
    @inline(__always)
    static func read(_ byte: UInt8) -> UInt8 { TextFolding.lower(byte) }

    @inline(__always)
    static func read(_ bytes: SIMD16<UInt8>) -> SIMD16<UInt8> {
        bytes.replacing(with: bytes | 0x20, where: (bytes &- 0x41) .< 26)
    }
}

/// Searching bytes in bytes that are read in some way.
enum ByteSearch<Reading: ByteReading> {
    @inline(__always)
    static func begins(_ text: UnsafeRawBufferPointer, _ needle: UnsafeRawBufferPointer) -> Bool {
        text.count >= needle.count && common(text, at: 0, needle) == needle.count
    }

    @inline(__always)
    static func ends(_ text: UnsafeRawBufferPointer, _ needle: UnsafeRawBufferPointer) -> Bool {
        text.count >= needle.count
            && common(text, at: text.count &- needle.count, needle) == needle.count
    }

    @inline(__always)
    static func equals(_ text: UnsafeRawBufferPointer, _ needle: UnsafeRawBufferPointer) -> Bool {
        text.count == needle.count && common(text, at: 0, needle) == needle.count
    }

    /// How many bytes of needles may be compared for each byte of a text, before the search goes on
    /// in a way that takes longer for nearly all texts, and never much longer.
    private static var stepsMax: Int { 8 }

    /// Whether the needle, which is not empty, occurs in the text.
    ///
    /// - Parameter edge: how many bytes at each end of the needle occur in nearly all texts: those
    ///   behind them are looked for first.
    @inline(__always)
    static func contains(
        _ text: UnsafeRawBufferPointer, _ needle: UnsafeRawBufferPointer, edge: Int = 0
    ) -> Bool {
        let length = needle.count
        guard text.count >= length, let start = text.baseAddress else { return false }
        let (head, tail) = (edge, length &- 1 &- edge)
        let first = needle[head]
        let last = needle[tail]
        let positions = text.count &- length &+ 1
        var position = 0
        var steps = text.count &* stepsMax
        // Unsafe: both loads end within the text, as position + 16 <= positions.
        while position &+ 16 <= positions {
            let heads = (start + position + head).loadUnaligned(as: SIMD16<UInt8>.self)
            let tails = (start + position + tail).loadUnaligned(as: SIMD16<UInt8>.self)
            let hits = (Reading.read(heads) .== first) .& (Reading.read(tails) .== last)
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
            if Reading.read(text[position &+ head]) == first,
                Reading.read(text[position &+ tail]) == last
            {
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
        for index in position..<text.count where search.finds(Reading.read(text[index])) {
            return true
        }
        return false
    }

    /// How many bytes of the needle stand at `offset`, where the text has room for all of it.
    @inline(__always)
    private static func common(
        _ text: UnsafeRawBufferPointer, at offset: Int, _ needle: UnsafeRawBufferPointer
    ) -> Int {
        var index = 0
        while index < needle.count, Reading.read(text[offset &+ index]) == needle[index] {
            index &+= 1
        }
        return index
    }
}
