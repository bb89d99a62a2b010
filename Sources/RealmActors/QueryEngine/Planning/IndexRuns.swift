package import Storage

/// Rows that an index found for a query: runs of its entries, not listed yet.
package struct IndexRuns {
    let column: ColumnID
    let runs: [IndexRange]
    /// Whether these are the rows that match the query and no others.
    package internal(set) var isExact = false
    /// Whether a row may be among them more than once.
    let mayRepeat: Bool
    /// Whether these are rows that link to others, not rows with values.
    let isBacklinks: Bool
    /// Whether an index of places found what the rows link to.
    var isByPlaces = false
    /// The number of columns of a composite index by which rows are found or ordered.
    var parts = 0
    /// The rows, as a search found them.
    let found: FoundRows?
    private let foundCount: Int
    /// Whether a scan would have to split texts into words, which takes far longer than any index.
    private let isSearch: Bool

    init(
        column: ColumnID, runs: [IndexRange], mayRepeat: Bool = false, isBacklinks: Bool = false,
        isSearch: Bool = false
    ) {
        self.column = column
        self.runs = runs
        self.mayRepeat = mayRepeat
        self.isBacklinks = isBacklinks
        self.isSearch = isSearch
        (found, foundCount) = (nil, 0)
    }

    /// Rows that a search found.
    init(_ column: ColumnID, found: FoundRows) {
        self.column = column
        self.found = found
        foundCount = found.count
        (runs, mayRepeat, isBacklinks, isSearch) = ([], false, false, true)
    }

    /// Rows that a search found, each once.
    init(_ column: ColumnID, found keys: [RowKey]) {
        let (low, high) = (keys.min() ?? RowKey(0), keys.max() ?? RowKey(0))
        let ascending = Self.ascending(keys, low.rawValue...high.rawValue, mayRepeat: false)
        self.init(column, found: .list(ascending))
    }

    /// The number of entries: of rows, where these do not repeat.
    package var count: Int { found == nil ? runs.reduce(0) { $0 + $1.count } : foundCount }

    var candidate: QueryPlanner.Candidate {
        QueryPlanner.Candidate(rows: count, isExact: isExact, isSearch: isSearch)
    }

    /// The rows in the order of their creation.
    package func keys() -> [RowKey] {
        if let found { return found.keys }
        var keys: [RowKey] = []
        keys.reserveCapacity(count)
        var isAscending = true
        var low = Int64.max
        var high = Int64.min
        for run in runs {
            run.forEach { key in
                if key.rawValue < high || mayRepeat { isAscending = false }
                low = min(low, key.rawValue)
                high = max(high, key.rawValue)
                keys.append(key)
            }
        }
        if isAscending || keys.count < 2 { return keys }
        return Self.ascending(keys, low...high, mayRepeat: mayRepeat)
    }

    /// Rows in the order of their creation, which all lie between two of them.
    private static func ascending(
        _ keys: [RowKey], _ range: ClosedRange<Int64>, mayRepeat: Bool
    ) -> [RowKey] {
        let low = range.lowerBound
        // A damaged index may name any rows.
        let (span, isTooFar) = range.upperBound.subtractingReportingOverflow(low)
        // A bit set is faster than sorting unless most bits would be clear.
        if isTooFar || span / 128 > keys.count {
            return mayRepeat ? Set(keys).sorted() : keys.sorted()
        }
        var bits = [UInt64](repeating: 0, count: Int(span / 64) + 1)
        for key in keys {
            let offset = Int(key.rawValue - low)
            bits[offset >> 6] |= 1 << UInt64(offset & 63)
        }
        var sorted: [RowKey] = []
        sorted.reserveCapacity(keys.count)
        for (index, word) in bits.enumerated() {
            var word = word
            while word != 0 {
                sorted.append(RowKey(low + Int64(index * 64 + word.trailingZeroBitCount)))
                word &= word - 1
            }
        }
        return sorted
    }

    /// Calls `body` with the rows in the order of their values, until it returns false. Rows that
    /// are equal in it come in the order of their creation both ways.
    func forEach(ascending: Bool, _ body: (RowKey) -> Bool) {
        var shouldContinue = true
        let next = { (key: RowKey) -> Bool in
            shouldContinue = body(key)
            return shouldContinue
        }
        for run in ascending ? runs : runs.reversed() where shouldContinue {
            if parts > 0 {
                run.forEach(parts: parts, ascending: ascending, next)
                continue
            }
            if ascending { run.forEachUntil(next) } else { run.forEachDescending(next) }
        }
    }
}
