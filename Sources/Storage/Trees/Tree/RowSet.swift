/// A set of rows, fast for many with close keys: a bit set of the range of expected keys, and a
/// hash set of all others.
struct RowSet {
    private let first: Int64
    private var words: [UInt64]
    /// Rows that have no bit.
    private var others: Set<Int64> = []
    private(set) var isEmpty = true

    /// An empty set, with bits for the range of `rows`.
    init(expecting rows: [RowKey]) {
        var low = Int64.max
        var high = Int64.min
        for row in rows {
            low = min(low, row.rawValue)
            high = max(high, row.rawValue)
        }
        // For few rows, a hash set takes less memory than the bits.
        let (span, isTooFar) = high.subtractingReportingOverflow(low)
        guard !rows.isEmpty, !isTooFar, span / 64 <= rows.count * 4 else {
            first = 0
            words = []
            return
        }
        first = low
        words = Array(repeating: 0, count: Int(span / 64) + 1)
    }

    init(_ rows: [RowKey]) {
        self.init(expecting: rows)
        for row in rows { insert(row) }
    }

    /// Adds a row; false if it is contained already.
    @discardableResult
    mutating func insert(_ row: RowKey) -> Bool {
        isEmpty = false
        let offset = UInt64(bitPattern: row.rawValue &- first)
        guard offset >> 6 < UInt64(words.count) else { return others.insert(row.rawValue).inserted }
        let bit: UInt64 = 1 << (offset & 63)
        let word = words[Int(offset >> 6)]
        words[Int(offset >> 6)] = word | bit
        return word & bit == 0
    }

    func contains(_ row: RowKey) -> Bool {
        let offset = UInt64(bitPattern: row.rawValue &- first)
        if offset >> 6 < UInt64(words.count) {
            return words[Int(offset >> 6)] >> (offset & 63) & 1 != 0
        }
        return !others.isEmpty && others.contains(row.rawValue)
    }
}
