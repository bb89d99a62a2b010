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

    // Unsafe: callers name an array of the given width that has all of `range`, and a target with
    // room for eight bytes of each.
    /// Writes the elements of a range, each with `base` added to it, in eight bytes.
    static func copy(
        _ array: UnsafeMutableRawPointer, _ width: Int, _ range: Range<Int>, adding base: UInt64,
        to target: UnsafeMutableRawBufferPointer
    ) {
        switch width {
        case 0:
            for place in 0..<range.count {
                target.storeBytes(of: base, toByteOffset: place &* 8, as: UInt64.self)
            }
        case 1: widen(array, UInt8.self, range, base, target)
        case 2: widen(array, UInt16.self, range, base, target)
        case 4: widen(array, UInt32.self, range, base, target)
        default: widen(array, UInt64.self, range, base, target)
        }
    }

    /// A separate loop for each width, which the compiler vectorizes.
    @inline(__always)
    private static func widen<Element: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
        _ array: UnsafeMutableRawPointer, _: Element.Type, _ range: Range<Int>, _ base: UInt64,
        _ target: UnsafeMutableRawBufferPointer
    ) {
        guard let target = target.baseAddress else { return }
        let stride = MemoryLayout<Element>.size
        let source = array + range.lowerBound &* stride
        for place in 0..<range.count {
            let element = source.loadUnaligned(
                fromByteOffset: place &* stride, as: Element.self)
            target.storeBytes(
                of: base &+ UInt64(element), toByteOffset: place &* 8, as: UInt64.self)
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
    /// The first index of an ascending array whose element is at least `target`; `count` if there
    /// is none. The search begins around `guess`, if there is one, which may be any number up to
    /// `count`.
    ///
    /// Calls `narrowed` as soon as no more than ``nearby`` candidates remain, unless the guess was
    /// right: before they are read.
    @inline(__always)
    static func lowerBound(
        _ array: UnsafeMutableRawPointer, _ width: Int, _ count: Int, _ target: UInt64,
        near guess: Int? = nil, _ narrowed: (Range<Int>) -> Void = { _ in }
    ) -> Int {
        if target > limit(width) { return count }
        switch width {
        case 0: return 0
        case 1: return search(array, UInt8(truncatingIfNeeded: target), count, guess, narrowed)
        case 2: return search(array, UInt16(truncatingIfNeeded: target), count, guess, narrowed)
        case 4: return search(array, UInt32(truncatingIfNeeded: target), count, guess, narrowed)
        default: return search(array, target, count, guess, narrowed)
        }
    }

    /// The number of elements around a guess that are compared first: two cache lines in most
    /// indexes.
    static let nearby = 32

    /// Counts the elements below the target around the guess; if that does not determine the
    /// position, among some at equal distances, then all remaining candidates.
    ///
    /// The elements that are counted together do not depend on each other, so that reading them
    /// takes one memory latency, and counting by arithmetic avoids branch mispredictions.
    @inline(__always)
    private static func search<Element: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
        _ array: UnsafeMutableRawPointer, _ target: Element, _ count: Int, _ guess: Int?,
        _ narrowed: (Range<Int>) -> Void
    ) -> Int {
        let stride = MemoryLayout<Element>.size
        // Unsafe: called only for indexes below `count`.
        @inline(__always) func element(_ index: Int) -> Element {
            array.loadUnaligned(fromByteOffset: index &* stride, as: Element.self)
        }
        // The elements before `low` are below the target, those from `high` on are not.
        var low = 0
        var high = count
        if let guess {
            let start = max(min(guess &- nearby / 2, count &- nearby), 0)
            let end = min(start &+ nearby, count)
            var below = 0
            for place in start..<end { below &+= isBelow(element(place), target) }
            if below == 0 {
                high = start
            } else if below == end &- start {
                low = end
            } else {
                return start &+ below
            }
        }
        while high &- low > nearby {
            let step = (high &- low) &>> 4
            var below = 0
            for place in 1...15 {
                below &+= isBelow(element(low &+ place &* step &- 1), target)
            }
            low &+= below &* step
            if below < 15 { high = low &+ step &- 1 }
        }
        narrowed(low..<high)
        var index = low
        for place in low..<high { index &+= isBelow(element(place), target) }
        return index
    }

    /// One when `a` is below `b`, else zero, without a branch.
    @inline(__always)
    private static func isBelow<Element: FixedWidthInteger>(_ a: Element, _ b: Element) -> Int {
        let (a, b) = (UInt64(truncatingIfNeeded: a), UInt64(truncatingIfNeeded: b))
        return Int(truncatingIfNeeded: ((~a & b) | (~(a ^ b) & (a &- b))) &>> 63)
    }
}
