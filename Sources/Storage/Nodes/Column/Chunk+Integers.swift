extension Chunk {
    /// The integer at `index`.
    @inlinable
    package func int(_ index: Int) -> Int64 {
        switch node.level {
        case 1: base &+ Int64(data.load(fromByteOffset: index, as: UInt8.self))
        case 2: base &+ Int64(data.load(fromByteOffset: index &* 2, as: UInt16.self))
        case 4: base &+ Int64(data.load(fromByteOffset: index &* 4, as: UInt32.self))
        default: data.load(fromByteOffset: index &* 8, as: Int64.self)
        }
    }

    /// Whether `value` fits the chunk's base and width.
    func fits(_ value: Int64) -> Bool {
        let (difference, overflow) = value.subtractingReportingOverflow(base)
        let width = Int(node.level)
        return width == 8 || !overflow && UInt64(bitPattern: difference) >> UInt64(width * 8) == 0
    }

    /// Stores `value` when it fits the chunk's base and width.
    @inline(__always)
    func storeInt(_ index: Int, _ value: Int64) -> Bool {
        let (difference, overflow) = value.subtractingReportingOverflow(base)
        let offset = UInt64(bitPattern: difference)
        switch node.level {
        case 1:
            guard !overflow, offset <= 0xFF else { return false }
            data.storeBytes(
                of: UInt8(truncatingIfNeeded: offset), toByteOffset: index, as: UInt8.self)
        case 2:
            guard !overflow, offset <= 0xFFFF else { return false }
            data.storeBytes(
                of: UInt16(truncatingIfNeeded: offset), toByteOffset: index &* 2, as: UInt16.self)
        case 4:
            guard !overflow, offset <= 0xFFFF_FFFF else { return false }
            data.storeBytes(
                of: UInt32(truncatingIfNeeded: offset), toByteOffset: index &* 4, as: UInt32.self)
        default:
            data.storeBytes(of: value, toByteOffset: index &* 8, as: Int64.self)
        }
        return true
    }

    /// An empty chunk for integers between `low` and `high`. Eight bytes wide, the base is zero.
    static func makeIntegers(
        low: Int64, high: Int64, capacity: Int, account: Unmanaged<NodeAccount>
    ) -> Chunk {
        let (range, overflow) = high.subtractingReportingOverflow(low)
        let span = UInt64(bitPattern: range)
        let width: Int
        if overflow || span > 0xFFFF_FFFF {
            width = 8
        } else if span > 0xFFFF {
            width = 4
        } else {
            width = span > 0xFF ? 2 : 1
        }
        let chunk = make(.integers, width: width, capacity: capacity, account: account)
        chunk.base = width == 8 ? 0 : low
        return chunk
    }

    /// A copy with `value` at `index`, wide enough for it.
    func copyIntegers(count: Int, including value: Int64, at index: Int) -> Chunk {
        var low = value
        var high = value
        for other in 0..<count where other != index {
            let element = int(other)
            low = min(low, element)
            high = max(high, element)
        }
        let newCount = max(count, index + 1)
        let copy = Chunk.makeIntegers(
            low: low, high: high, capacity: Chunk.capacity(for: newCount), account: node.account)
        for other in 0..<count where other != index { _ = copy.storeInt(other, int(other)) }
        _ = copy.storeInt(index, value)
        copy.used = newCount
        return copy
    }
}

/// The integers of a column chunk, for loops that go over all of them.
@frozen @usableFromInline
package struct IntegerChunk {
    @usableFromInline package let base: Int64
    /// Bytes per stored offset: 1, 2, 4 or 8.
    @usableFromInline package let width: Int
    // Unsafe: points to at least as many offsets as the cluster has rows, while its owner lives.
    @usableFromInline package let data: UnsafeRawPointer

    @inlinable
    init(_ chunk: Chunk) {
        base = chunk.base
        width = chunk.width
        data = UnsafeRawPointer(chunk.data)
    }
}
