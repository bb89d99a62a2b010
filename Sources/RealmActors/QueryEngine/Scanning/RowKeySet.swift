import Storage

/// A set of rows of a class with fast membership tests: a bit for each key between the first and
/// the last.
package struct RowKeySet: Sendable {
    private let first: Int64
    private var bits: [UInt64]

    /// No rows yet, with room for all that a class has. Sets of one version of a class are combined
    /// word by word.
    init(roomFor rows: ClassView) {
        first = rows.location(from: RowKey(.min))?.key.rawValue ?? 0
        bits = [UInt64](repeating: 0, count: (Self.span(of: rows) >> 6) + 1)
    }

    /// The bits that a set of the rows of a class takes at most; far more than rows where most of
    /// those there ever were have been deleted.
    static func span(of rows: ClassView) -> Int {
        guard let first = rows.location(from: RowKey(.min))?.key else { return 0 }
        return Int(clamping: rows.nextKey.rawValue - first.rawValue)
    }

    func contains(_ key: RowKey) -> Bool {
        let offset = Int(clamping: key.rawValue &- first)
        guard offset >= 0, offset >> 6 < bits.count else { return false }
        return bits[offset >> 6] >> UInt64(offset & 63) & 1 == 1
    }

    /// The number of rows. O(room).
    var count: Int { bits.reduce(0) { $0 &+ $1.nonzeroBitCount } }

    /// The rows, ascending.
    var keys: [RowKey] {
        var keys: [RowKey] = []
        keys.reserveCapacity(count)
        for (index, word) in bits.enumerated() {
            var word = word
            while word != 0 {
                keys.append(RowKey(first &+ Int64(index &* 64 &+ word.trailingZeroBitCount)))
                word &= word &- 1
            }
        }
        return keys
    }

    /// Adds the rows of index entries. Rows beyond the room are not of the class.
    mutating func insert(_ range: IndexRange) {
        let first = first
        // Unsafe: borrowed for the call; only words below the count are touched.
        bits.withUnsafeMutableBufferPointer { bits in
            let room = UInt64(bits.count) &<< 6
            range.forEachBatch { rows in
                for row in rows {
                    let offset = UInt64(bitPattern: row &- first)
                    if offset < room { bits[Int(offset &>> 6)] |= 1 &<< (offset & 63) }
                }
            }
        }
    }

    /// Adds rows. Others than the class has, which a damaged index may name, are left out.
    mutating func insert(_ keys: [RowKey]) {
        for key in keys {
            let offset = Int(clamping: key.rawValue &- first)
            if offset >= 0, offset >> 6 < bits.count {
                bits[offset >> 6] |= 1 << UInt64(offset & 63)
            }
        }
    }

    /// Keeps the rows that another set of the same room has as well.
    mutating func formIntersection(_ other: RowKeySet) {
        for index in bits.indices { bits[index] &= other.bits[index] }
    }

    /// Adds the rows of another set of the same room.
    mutating func formUnion(_ other: RowKeySet) {
        for index in bits.indices { bits[index] |= other.bits[index] }
    }

    /// Removes the rows that another set of the same room has.
    mutating func subtract(_ other: RowKeySet) {
        for index in bits.indices { bits[index] &= ~other.bits[index] }
    }
}
