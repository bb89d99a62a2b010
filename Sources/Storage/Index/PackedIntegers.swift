/// Arrays of unsigned numbers in 0, 1, 2, 4 or 8 bytes each, as index leaves keep them.
///
/// No bytes at all mean that every number is zero: all values equal their base.
enum PackedIntegers {
    /// The bytes that numbers up to `span` need.
    @inline(__always)
    static func width(for span: UInt64) -> Int {
        if span == 0 { return 0 }
        if span <= 0xFF { return 1 }
        if span <= 0xFFFF { return 2 }
        return span <= 0xFFFF_FFFF ? 4 : 8
    }

    /// The largest number of a width.
    @inline(__always)
    static func limit(_ width: Int) -> UInt64 {
        width == 8 ? .max : (1 &<< UInt64(width &* 8)) &- 1
    }

    // Unsafe: callers name an array of the given width that has more than `index` elements.
    @inline(__always)
    static func load(_ array: UnsafeMutableRawPointer, _ width: Int, _ index: Int) -> UInt64 {
        switch width {
        case 0: 0
        case 1: UInt64(array.load(fromByteOffset: index, as: UInt8.self))
        case 2: UInt64(array.loadUnaligned(fromByteOffset: index &* 2, as: UInt16.self))
        case 4: UInt64(array.loadUnaligned(fromByteOffset: index &* 4, as: UInt32.self))
        default: array.loadUnaligned(fromByteOffset: index &* 8, as: UInt64.self)
        }
    }

    // Unsafe: callers name an array of the given width with room for more than `index` elements.
    @inline(__always)
    static func store(
        _ array: UnsafeMutableRawPointer, _ width: Int, _ index: Int, _ value: UInt64
    ) {
        switch width {
        case 0: break
        case 1:
            array.storeBytes(
                of: UInt8(truncatingIfNeeded: value), toByteOffset: index, as: UInt8.self)
        case 2:
            array.storeBytes(
                of: UInt16(truncatingIfNeeded: value), toByteOffset: index &* 2, as: UInt16.self)
        case 4:
            array.storeBytes(
                of: UInt32(truncatingIfNeeded: value), toByteOffset: index &* 4, as: UInt32.self)
        default: array.storeBytes(of: value, toByteOffset: index &* 8, as: UInt64.self)
        }
    }

    // Unsafe: callers name an array of the given width with `count` elements.
    /// The first index of an ascending array whose element is at least `target`; `count` when
    /// there is none. `next` is what comes behind the last element, where that is known, and not
    /// below `target`: the last one need not be read then.
    static func lowerBound(
        _ array: UnsafeMutableRawPointer, _ width: Int, _ count: Int, _ target: UInt64,
        before next: UInt64?
    ) -> Int {
        if target > limit(width) { return count }
        switch width {
        case 0: return 0
        case 1: return search(array, UInt8(truncatingIfNeeded: target), count, next)
        case 2: return search(array, UInt16(truncatingIfNeeded: target), count, next)
        case 4: return search(array, UInt32(truncatingIfNeeded: target), count, next)
        default: return search(array, target, count, next)
        }
    }

    /// How far from a guess the place is looked for first: so often, so many elements further.
    private static let (nearby, near) = (4, 8)

    /// Guesses the place from the first element and the last, or what comes behind, which is right,
    /// or nearly so, where values are spread evenly; else counts, among a few elements at equal
    /// distances, those that are below.
    ///
    /// Near the guess lie the cache lines that are there already, or come with it. Reading elements
    /// at equal distances takes one wait for memory, as none of them depends on another, and
    /// counting them by arithmetic leaves the processor nothing to guess.
    @inline(__always)
    private static func search<Element: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
        _ array: UnsafeMutableRawPointer, _ target: Element, _ count: Int, _ next: UInt64?
    ) -> Int {
        let stride = MemoryLayout<Element>.size
        // Unsafe: asked for indexes below `count` only.
        @inline(__always) func element(_ index: Int) -> Element {
            array.loadUnaligned(fromByteOffset: index &* stride, as: Element.self)
        }
        if count == 0 { return 0 }
        let first = element(0)
        if target <= first { return 0 }
        // From here on: element(low) < target <= element(high), where there is such an element.
        var low = 0
        var high = count
        let span: Double
        if let next, next >= target {
            span = Double(next &- UInt64(first))
        } else {
            high = count &- 1
            let last = element(high)
            if target > last { return count }
            span = Double(last &- first)
        }
        let share = Double(target &- first) / span
        let guess = min(Int(share * Double(high)), high &- 1)
        if element(guess) < target {
            low = guess
            if guess &+ 1 == high || element(guess &+ 1) >= target { return guess &+ 1 }
            for _ in 0..<nearby {
                let beside = low &+ near
                if beside >= high { break }
                if element(beside) >= target {
                    high = beside
                    break
                }
                low = beside
            }
        } else {
            high = guess
            if element(guess &- 1) < target { return guess }
            for _ in 0..<nearby {
                let beside = high &- near
                if beside <= low { break }
                if element(beside) < target {
                    low = beside
                    break
                }
                high = beside
            }
        }
        while high &- low > 8 {
            let step = (high &- low) &>> 3
            var below = 0
            for place in 1...7 {
                below &+= isBelow(element(low &+ place &* step), target)
            }
            low &+= below &* step
            if below < 7 { high = low &+ step }
        }
        var index = low &+ 1
        for place in (low &+ 1)..<high { index &+= isBelow(element(place), target) }
        return index
    }

    /// One when `a` is below `b`, else zero, without a branch.
    @inline(__always)
    private static func isBelow<Element: FixedWidthInteger>(_ a: Element, _ b: Element) -> Int {
        let (a, b) = (UInt64(truncatingIfNeeded: a), UInt64(truncatingIfNeeded: b))
        return Int(truncatingIfNeeded: ((~a & b) | (~(a ^ b) & (a &- b))) &>> 63)
    }
}
