import Storage

/// Rows of a class, of which one is quickly found to be a member: a bit for each key between the
/// first and the last.
package struct RowKeySet: Sendable {
    private let first: Int64
    private let bits: [UInt64]

    /// Of ascending keys.
    init(_ keys: [RowKey]) {
        guard let first = keys.first, let last = keys.last else {
            (self.first, bits) = (0, [])
            return
        }
        self.first = first.rawValue
        var bits = [UInt64](
            repeating: 0, count: Int((last.rawValue - first.rawValue) >> 6) + 1)
        for key in keys {
            let offset = Int(key.rawValue - first.rawValue)
            bits[offset >> 6] |= 1 << UInt64(offset & 63)
        }
        self.bits = bits
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
}
