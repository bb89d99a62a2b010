import Storage

/// The beginning of a text, in the one word that a column keeps of it in place: its length in the
/// low half, its first four bytes in the high one.
///
/// It decides most rows before their texts are read.
enum TextHead {
    static let size = 4

    /// The head of a text, as ``StringChunk/head(_:)`` gives it.
    static func of(_ text: [UInt8]) -> UInt64 {
        var head = UInt64(truncatingIfNeeded: text.count) & 0xFFFF_FFFF
        for (index, byte) in text.prefix(size).enumerated() {
            head |= UInt64(byte) << UInt64(32 + 8 * index)
        }
        return head
    }

    /// The bits of a head that say what the first `count` bytes are.
    static func bits(ofFirst count: Int) -> UInt64 {
        count >= size ? 0xFFFF_FFFF << 32 : ((1 << UInt64(8 * count)) - 1) << 32
    }

    /// The first four bytes as a number that orders as they do.
    @inline(__always)
    static func order(_ head: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: head &>> 32).byteSwapped
    }

    /// Keeps the texts whose order, turned round where `flip` says so, is not above `bound`.
    static func narrow(
        _ mask: inout ClusterMask, _ chunk: StringChunk, _ count: Int, upTo bound: UInt32,
        _ flip: UInt32
    ) {
        narrow(&mask, chunk, count) { order($0) ^ flip <= bound }
    }

    /// Keeps the texts whose head is `head` in those of its bits that `bits` has.
    static func narrow(
        _ mask: inout ClusterMask, _ chunk: StringChunk, _ count: Int, equalTo head: UInt64,
        in bits: UInt64
    ) {
        narrow(&mask, chunk, count) { ($0 ^ head) & bits == 0 }
    }

    /// Tests all heads before the results are used: memory latency dominates, and a short loop
    /// overlaps more loads.
    @inline(__always)
    private static func narrow(
        _ mask: inout ClusterMask, _ chunk: StringChunk, _ count: Int, _ test: (UInt64) -> Bool
    ) {
        if mask.isEmpty { return }
        // Unsafe: a cluster has no more slots than this, and each verdict is written before it is
        // read.
        withUnsafeTemporaryAllocation(byteCount: 256, alignment: 16) { verdicts in
            for slot in 0..<count { verdicts[slot] = test(chunk.head(slot)) ? 1 : 0 }
            guard let start = verdicts.baseAddress else { return }
            ByteScan.narrow(&mask, UnsafeRawPointer(start), count, lowest: 1, span: 0)
        }
    }
}
