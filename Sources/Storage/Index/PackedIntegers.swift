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
    /// there is none.
    static func lowerBound(
        _ array: UnsafeMutableRawPointer, _ width: Int, _ count: Int, _ target: UInt64
    ) -> Int {
        if target > limit(width) { return count }
        switch width {
        case 0: return 0
        case 1: return search(array, UInt8(truncatingIfNeeded: target), count)
        case 2: return search(array, UInt16(truncatingIfNeeded: target), count)
        case 4: return search(array, UInt32(truncatingIfNeeded: target), count)
        default: return search(array, target, count)
        }
    }

    /// Guesses the place from the first and the last element, then searches around the guess in
    /// growing steps, and between the last two of them by halving.
    @inline(__always)
    private static func search<Element: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
        _ array: UnsafeMutableRawPointer, _ target: Element, _ count: Int
    ) -> Int {
        let stride = MemoryLayout<Element>.size
        // Unsafe: asked for indexes below `count` only.
        @inline(__always) func element(_ index: Int) -> Element {
            array.loadUnaligned(fromByteOffset: index &* stride, as: Element.self)
        }
        if count == 0 { return 0 }
        let first = element(0)
        if target <= first { return 0 }
        let last = element(count &- 1)
        if target > last { return count }
        // From here on: element(low) < target <= element(high).
        var low = 0
        var high = count &- 1
        let share = Double(target &- first) / Double(last &- first)
        let guess = min(Int(share * Double(high)), high &- 1)
        var step = 4
        if element(guess) < target {
            low = guess
            while low &+ step < high {
                if element(low &+ step) >= target {
                    high = low &+ step
                    break
                }
                low &+= step
                step &*= 2
            }
        } else {
            high = guess
            while high &- step > low {
                if element(high &- step) < target {
                    low = high &- step
                    break
                }
                high &-= step
                step &*= 2
            }
        }
        while high &- low > 1 {
            let middle = (low &+ high) &>> 1
            if element(middle) < target { low = middle } else { high = middle }
        }
        return high
    }
}
