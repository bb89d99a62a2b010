package import Storage

/// Rows that an index found for a query: runs of its entries, not listed yet.
package struct IndexRuns {
    let column: ColumnID
    let runs: [IndexRange]
    /// Whether these are the rows that match the query and no others.
    package internal(set) var isExact = false

    init(column: ColumnID, runs: [IndexRange]) {
        self.column = column
        self.runs = runs
    }

    package var count: Int { runs.reduce(0) { $0 + $1.count } }

    /// A scan reads columns one after another, an index rows here and there: where it would give
    /// more than this share of the class, the scan is quicker.
    private static let shareMax = 8

    /// Whether listing these rows beats a scan over the `total` rows of their class, of which the
    /// first `limit` matching ones are wanted.
    func isWorthwhile(of total: Int, limit: Int = .max) -> Bool {
        let count = count
        if count > total / Self.shareMax { return false }
        // Where many match, a scan has the first ones before an index has listed all of them.
        return count <= limit || Double(count) * Double(count) <= Double(total) * Double(limit)
    }

    /// The rows in the order of their creation.
    package func keys() -> [RowKey] {
        var keys: [RowKey] = []
        keys.reserveCapacity(count)
        var isAscending = true
        var low = Int64.max
        var high = Int64.min
        for run in runs {
            run.forEach { key in
                if key.rawValue < high { isAscending = false }
                low = min(low, key.rawValue)
                high = max(high, key.rawValue)
                keys.append(key)
            }
        }
        if isAscending { return keys }
        let span = high - low
        // Distributing over one bit per row is quicker as long as not most bits stay clear.
        if span / 128 > keys.count { return keys.sorted() }
        var bits = [UInt64](repeating: 0, count: Int(span / 64) + 1)
        for key in keys {
            let offset = Int(key.rawValue - low)
            bits[offset >> 6] |= 1 << UInt64(offset & 63)
        }
        keys.removeAll(keepingCapacity: true)
        for (index, word) in bits.enumerated() {
            var word = word
            while word != 0 {
                keys.append(RowKey(low + Int64(index * 64 + word.trailingZeroBitCount)))
                word &= word - 1
            }
        }
        return keys
    }

    /// Calls `body` with the rows in the order of their values, until it returns false. Rows that
    /// are equal in it come in the order of their creation both ways.
    func forEach(ascending: Bool, _ body: (RowKey) -> Bool) {
        var goesOn = true
        let next = { (key: RowKey) -> Bool in
            goesOn = body(key)
            return goesOn
        }
        for run in ascending ? runs : runs.reversed() where goesOn {
            if ascending { run.forEachUntil(next) } else { run.forEachDescending(next) }
        }
    }
}
