import Storage

/// Strings of a column against a constant, by their UTF-8 bytes.
///
/// Their first bytes, which the views of the chunk have, decide nearly always.
package struct StringScan: Sendable {
    let column: Int
    let comparison: QueryComparison
    let constant: [UInt8]
    let head: UInt64
    let prefix: UInt64
    let isNullable: Bool

    init(column: Int, comparison: QueryComparison, constant: String, isNullable: Bool) {
        self.column = column
        self.comparison = comparison
        self.constant = Array(constant.utf8)
        head = TextHead.of(self.constant)
        self.prefix = BytePrefix.of(self.constant)
        self.isNullable = isNullable
    }

    func narrow(_ mask: inout ClusterMask, _ cluster: Cluster) {
        let matchesNull = comparison == .notEqual
        mask.narrow(nullable: isNullable, matchesNull: matchesNull, column, cluster) { mask in
            guard let chunk = cluster.strings(column) else {
                let order = constant.isEmpty ? 0 : -1
                if !comparison.holds(order, 0) { mask.clear() }
                return
            }
            // Unsafe: the bytes of `constant` are borrowed for the scan, and only read.
            constant.withUnsafeBytes { bytes in
                switch comparison {
                case .equal: keepEqual(&mask, cluster, chunk, bytes)
                case .notEqual:
                    var equal = mask
                    keepEqual(&equal, cluster, chunk, bytes)
                    mask.subtract(equal)
                case .less, .lessOrEqual, .greater, .greaterOrEqual:
                    mask.filter { comparison.holds(order(chunk, $0, bytes), 0) }
                }
            }
        }
    }

    @inline(__always)
    private func keepEqual(
        _ mask: inout ClusterMask, _ cluster: Cluster, _ chunk: StringChunk,
        _ bytes: UnsafeRawBufferPointer
    ) {
        TextHead.narrow(&mask, chunk, cluster.slotCount, equalTo: head, in: .max)
        if bytes.count > TextHead.size {
            mask.filter { ByteOrder.compare(chunk.utf8($0), bytes) == 0 }
        }
    }

    @inline(__always)
    private func order(_ chunk: StringChunk, _ slot: Int, _ bytes: UnsafeRawBufferPointer) -> Int {
        let mine = chunk.prefix(slot)
        if mine != prefix { return mine < prefix ? -1 : 1 }
        return ByteOrder.compare(chunk.utf8(slot), bytes)
    }
}

/// The first bytes of a text as a number that orders as they do.
enum BytePrefix {
    static func of(_ bytes: [UInt8]) -> UInt64 {
        // Unsafe: borrowed for the call, which reads within the buffer.
        bytes.withUnsafeBytes { of($0, from: 0) }
    }

    /// Up to eight bytes from `offset` on, big-endian, zero padded.
    @inline(__always)
    static func of(_ bytes: UnsafeRawBufferPointer, from offset: Int) -> UInt64 {
        let length = bytes.count &- offset
        guard length > 0, let start = bytes.baseAddress else { return 0 }
        // Unsafe: reads eight bytes only where the buffer has them.
        if length >= 8 {
            return UInt64(
                bigEndian: start.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        var prefix: UInt64 = 0
        for index in 0..<length {
            prefix |= UInt64(bytes[offset &+ index]) &<< UInt64(56 &- 8 &* index)
        }
        return prefix
    }
}
