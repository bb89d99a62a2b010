package import Storage

/// Values of one property that lie next to each other in its index.
package struct IndexInterval: Sendable, Hashable {
    package let lower: IndexBound
    package let upper: IndexBound

    package init(_ lower: IndexBound, _ upper: IndexBound) {
        self.lower = lower
        self.upper = upper
    }

    /// The one value.
    init(equalTo value: StoredValue) { self.init(.before(value), .after(value)) }

    /// The value, when the interval is of one only.
    var single: StoredValue? {
        if case .before(let value) = lower, upper == .after(value) { value } else { nil }
    }
}

/// What a query says about one indexed property: one of the intervals of each condition.
package struct IndexSeek: Sendable, Hashable {
    package let column: ColumnID
    package private(set) var conditions: [[IndexInterval]]

    init(_ column: ColumnID, _ intervals: [IndexInterval]) {
        self.column = column
        conditions = [intervals]
    }

    mutating func require(_ other: IndexSeek) { conditions += other.conditions }

    /// The intervals, when there is one condition only.
    var union: [IndexInterval]? { conditions.count == 1 ? conditions[0] : nil }

    /// The one value that the property must have, if the query says so and nothing else.
    var single: StoredValue? {
        union.flatMap { $0.count == 1 ? $0[0].single : nil }
    }

    /// The entries of the index that meet every condition, as runs in order. O(log n) each.
    func runs(_ view: ClassView) -> IndexRuns {
        var runs: [Range<Int>]?
        var range: IndexRange?
        for intervals in conditions {
            var found: [Range<Int>] = []
            for interval in intervals {
                let run = view.range(column, from: interval.lower, to: interval.upper)
                range = run
                if !run.ranks.isEmpty { found.append(run.ranks) }
            }
            let merged = IndexSeek.merged(found)
            runs = runs.map { IndexSeek.common($0, merged) } ?? merged
        }
        guard let range, let runs else { return IndexRuns(column: column, runs: []) }
        return IndexRuns(column: column, runs: runs.map { range.with(ranks: $0) })
    }

    /// The runs in order, those that overlap or touch made one.
    private static func merged(_ runs: [Range<Int>]) -> [Range<Int>] {
        if runs.count < 2 { return runs }
        var merged: [Range<Int>] = []
        for run in runs.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, run.lowerBound <= last.upperBound {
                merged[merged.count - 1] =
                    last.lowerBound..<max(last.upperBound, run.upperBound)
            } else {
                merged.append(run)
            }
        }
        return merged
    }

    /// What two lists of runs in order have in common.
    private static func common(_ a: [Range<Int>], _ b: [Range<Int>]) -> [Range<Int>] {
        var common: [Range<Int>] = []
        var (i, j) = (0, 0)
        while i < a.count, j < b.count {
            let lower = max(a[i].lowerBound, b[j].lowerBound)
            let upper = min(a[i].upperBound, b[j].upperBound)
            if lower < upper { common.append(lower..<upper) }
            if a[i].upperBound < b[j].upperBound { i += 1 } else { j += 1 }
        }
        return common
    }
}
