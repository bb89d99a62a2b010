package import Storage

/// A contiguous interval of the values of one property in its index.
package enum IndexInterval: Sendable, Hashable {
    /// The one value.
    case value(StoredValue)
    /// All from one bound to another.
    case range(from: IndexBound, to: IndexBound)

    /// The entries of the index that lie within. O(log n).
    func entries(_ column: ColumnID, _ view: ClassView) -> IndexRange {
        switch self {
        case .value(let value): view.range(column, equalTo: value)
        case .range(let lower, let upper): view.range(column, from: lower, to: upper)
        }
    }
}

/// The conditions of a query on one property that has an index, or is part of one: of each
/// condition, one of the intervals has to match.
package struct IndexSeek: Sendable, Hashable {
    package let column: ColumnID
    /// Whether the property has an index to itself.
    let hasIndex: Bool
    /// Whether it is on the collation key of a string.
    let isCollated: Bool
    package private(set) var conditions: [[IndexInterval]]

    init(
        _ column: ColumnID, _ intervals: [IndexInterval], hasIndex: Bool = true,
        isCollated: Bool = false
    ) {
        self.isCollated = isCollated
        self.column = column
        self.hasIndex = hasIndex
        conditions = [intervals]
    }

    mutating func require(_ other: IndexSeek) { conditions += other.conditions }

    /// The intervals, when there is one condition only.
    var union: [IndexInterval]? { conditions.count == 1 ? conditions[0] : nil }

    /// The largest number of intervals of one condition.
    var intervalCount: Int { conditions.lazy.map(\.count).max() ?? 0 }

    /// The one value that the property must have, if that is the only condition.
    var single: StoredValue? {
        guard conditions.count == 1, conditions[0].count == 1,
            case .value(let value) = conditions[0][0]
        else { return nil }
        return value
    }

    /// The values that the property may have, if a condition restricts them.
    var values: [StoredValue]? {
        conditions.lazy.compactMap { intervals -> [StoredValue]? in
            var values: [StoredValue] = []
            for interval in intervals {
                guard case .value(let value) = interval else { return nil }
                values.append(value)
            }
            return values
        }.min { $0.count < $1.count }
    }

    /// The entries of the index that meet every condition, as runs in order. O(log n) each.
    func runs(_ view: ClassView) -> IndexRuns {
        let found = ranges { $0.entries(column, view) }
        return IndexRuns(column: column, runs: found)
    }

    /// The entries of some index that meet every condition, as runs in order; `entries` finds
    /// those of one interval.
    func ranges(_ entries: (IndexInterval) -> IndexRange) -> [IndexRange] {
        var runs: [Range<Int>]?
        var range: IndexRange?
        for intervals in conditions {
            var found: [Range<Int>] = []
            for interval in intervals {
                let run = entries(interval)
                if run.count == 0 { continue }
                range = run
                found.append(run.ranks)
            }
            let merged = IndexSeek.merged(found)
            runs = runs.map { IndexSeek.common($0, merged) } ?? merged
        }
        guard let range, let runs else { return [] }
        return runs.map { range.with(ranks: $0) }
    }

    /// The runs in order, those that overlap or touch made one.
    static func merged(_ runs: [Range<Int>]) -> [Range<Int>] {
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

    /// The intersection of two ordered lists of runs.
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
