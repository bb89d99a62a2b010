/// The reading of the bytes of a text in a search.
protocol ByteReading {
    static func read(_ byte: UInt8) -> UInt8
    /// Which of some bytes are read as `byte`, which is read as itself. Compares with vectors only:
    /// there are no vector instructions behind the operators that take a scalar.
    static func places(of byte: UInt8, in bytes: SIMD16<UInt8>) -> SIMDMask<SIMD16<Int8>>
}

/// Unchanged.
enum ExactBytes: ByteReading {
    @inline(__always)
    static func read(_ byte: UInt8) -> UInt8 { byte }

    @inline(__always)
    static func places(of byte: UInt8, in bytes: SIMD16<UInt8>) -> SIMDMask<SIMD16<Int8>> {
        bytes .== SIMD16(repeating: byte)
    }
}

/// Capital letters of ASCII as small ones.
enum LowerBytes: ByteReading {
    @inline(__always)
    static func read(_ byte: UInt8) -> UInt8 { TextFolding.lower(byte) }

    @inline(__always)
    static func places(of byte: UInt8, in bytes: SIMD16<UInt8>) -> SIMDMask<SIMD16<Int8>> {
        (bytes .== SIMD16(repeating: byte)) .| (bytes .== SIMD16(repeating: upper(byte)))
    }

    @inline(__always)
    private static func upper(_ byte: UInt8) -> UInt8 {
        byte &- 0x61 < 26 ? byte & 0xDF : byte
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

    /// The budget of compared bytes for each byte of a text, after which the search continues with
    /// a linear-time algorithm that is slower for most texts.
    private static var stepsMax: Int { 8 }

    /// Whether the needle, which is not empty, occurs in the text.
    ///
    /// - Parameters:
    ///   - edge: how many bytes at each end of the needle occur in nearly all texts: those after
    ///     them are searched for first.
    ///   - isAccepted: whether an occurrence at an offset counts.
    @inline(__always)
    static func contains(
        _ text: UnsafeRawBufferPointer, _ needle: UnsafeRawBufferPointer, edge: Int = 0,
        where isAccepted: (Int) -> Bool = { _ in true }
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
            let hits = Reading.places(of: first, in: heads) .& Reading.places(of: last, in: tails)
            let words = unsafeBitCast(hits, to: SIMD2<UInt64>.self)
            if words[0] | words[1] != 0 {
                for offset in 0..<16 where hits[offset] {
                    let common = common(text, at: position &+ offset, needle)
                    if common == length, isAccepted(position &+ offset) { return true }
                    steps &-= common
                }
                if steps < 0 {
                    return containsRepetition(text, from: position, needle, where: isAccepted)
                }
            }
            position &+= 16
        }
        while position < positions {
            if Reading.read(text[position &+ head]) == first,
                Reading.read(text[position &+ tail]) == last
            {
                let common = common(text, at: position, needle)
                if common == length, isAccepted(position) { return true }
                steps &-= common
                if steps < 0 {
                    return containsRepetition(text, from: position, needle, where: isAccepted)
                }
            }
            position &+= 1
        }
        return false
    }

    /// The same from a position on, for repetitive needles.
    @inline(never)
    private static func containsRepetition(
        _ text: UnsafeRawBufferPointer, from position: Int, _ needle: UnsafeRawBufferPointer,
        where isAccepted: (Int) -> Bool
    ) -> Bool {
        var search = BorderSearch(Array(needle))
        return (position..<text.count).contains { index in
            search.finds(Reading.read(text[index])) && isAccepted(index + 1 - needle.count)
        }
    }

    /// The number of bytes of the needle that match at `offset`, where the text has room for all of
    /// it.
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
