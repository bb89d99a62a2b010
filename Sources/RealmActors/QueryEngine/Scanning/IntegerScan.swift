import Storage

/// Integers of a column within a closed range, or outside it.
///
/// Every comparison of an integer is such a range, so that one loop per chunk width does them all.
package struct IntegerScan: Sendable {
    let column: Int
    let low: Int64
    let high: Int64
    let isNegated: Bool
    let isNullable: Bool
    let matchesNull: Bool

    func narrow(_ mask: inout ClusterMask, _ cluster: Cluster) {
        mask.narrow(nullable: isNullable, matchesNull: matchesNull, column, cluster) { mask in
            guard low <= high else {
                if !isNegated { mask.clear() }
                return
            }
            let before = mask
            narrowRange(&mask, cluster)
            if isNegated { mask.words = before.words & ~mask.words }
        }
    }

    private func narrowRange(_ mask: inout ClusterMask, _ cluster: Cluster) {
        guard let chunk = cluster.integers(column) else {
            if low > 0 || high < 0 { mask.clear() }
            return
        }
        let count = cluster.slotCount
        switch chunk.width {
        case 1: scan(UInt8.self, chunk, count, &mask)
        case 2: scan(UInt16.self, chunk, count, &mask)
        case 4: scan(UInt32.self, chunk, count, &mask)
        default:
            // Unsafe: a chunk holds at least as many values as its cluster has slots.
            let data = chunk.data
            let base = UInt64(bitPattern: chunk.base &- low)
            let span = UInt64(bitPattern: high &- low)
            mask.scan(count: count) { slot in
                base &+ data.loadUnaligned(fromByteOffset: slot &* 8, as: UInt64.self) <= span
            }
        }
    }

    @inline(__always)
    private func scan<Offset: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
        _ type: Offset.Type, _ chunk: IntegerChunk, _ count: Int, _ mask: inout ClusterMask
    ) {
        // The chunk holds base ... base + Offset.max, which need not all be representable.
        let (from, fromOverflow) = low.subtractingReportingOverflow(chunk.base)
        let (to, toOverflow) = high.subtractingReportingOverflow(chunk.base)
        let first: Int64 = fromOverflow ? (low < chunk.base ? 0 : .max) : max(from, 0)
        let last: Int64 = toOverflow ? (high < chunk.base ? -1 : .max) : to
        let limit = Int64(Offset.max)
        guard first <= limit, last >= 0 else { return mask.clear() }
        let lowest = Offset(truncatingIfNeeded: first)
        let span = Offset(truncatingIfNeeded: min(last, limit) &- first)
        // Unsafe: a chunk holds at least as many offsets as its cluster has slots.
        let data = chunk.data
        if Offset.self == UInt8.self {
            let lowest = UInt8(truncatingIfNeeded: lowest)
            let span = UInt8(truncatingIfNeeded: span)
            return ByteScan.narrow(&mask, data, count, lowest: lowest, span: span)
        }
        let stride = MemoryLayout<Offset>.size
        mask.scan(count: count) { slot in
            data.loadUnaligned(fromByteOffset: slot &* stride, as: Offset.self) &- lowest <= span
        }
    }
}

/// The loop over offsets of one byte, eight at a time.
enum ByteScan {
    @inline(__always)
    static func narrow(
        _ mask: inout ClusterMask, _ data: UnsafeRawPointer, _ count: Int, lowest: UInt8,
        span: UInt8
    ) {
        let lows = SIMD16<UInt8>(repeating: lowest)
        let spans = SIMD16<UInt8>(repeating: span)
        for index in 0..<4 {
            let candidates = mask.words[index]
            if candidates == 0 { continue }
            let start = index &* 64
            let length = min(64, count &- start)
            var bits: UInt64 = 0
            var offset = 0
            while offset &+ 16 <= length {
                let values = (data + start + offset).loadUnaligned(as: SIMD16<UInt8>.self)
                let hits = (values &- lows) .<= spans
                bits |= gather(hits) &<< UInt64(truncatingIfNeeded: offset)
                offset &+= 16
            }
            while offset < length {
                let value = (data + start + offset).load(as: UInt8.self)
                let hit: UInt64 = value &- lowest <= span ? 1 : 0
                bits |= hit &<< UInt64(truncatingIfNeeded: offset)
                offset &+= 1
            }
            mask.words[index] = candidates & bits
        }
    }

    /// The lanes of a mask as the low 16 bits of a word.
    @inline(__always)
    private static func gather(_ hits: SIMDMask<SIMD16<Int8>>) -> UInt64 {
        // Each true lane is a byte of ones; one bit of each, multiplied into the top byte.
        let lanes = unsafeBitCast(hits, to: SIMD2<UInt64>.self) & 0x0101_0101_0101_0101
        let low = (lanes[0] &* 0x0102_0408_1020_4080) &>> 56
        let high = (lanes[1] &* 0x0102_0408_1020_4080) &>> 56
        return low | high &<< 8
    }
}
