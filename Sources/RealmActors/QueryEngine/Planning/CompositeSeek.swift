import Storage

/// A query on an index of several properties: values of the first ones, then intervals of the next.
struct CompositeSeek {
    let index: ColumnID
    /// The values of the first properties; several, where a property may have one of several.
    private let values: [[StoredValue]]
    private let next: IndexSeek?
    /// The number of properties of the index that it uses.
    let used: Int
    /// Whether the rows that it finds meet all of the seeks, and not only those it uses.
    let meetsAll: Bool
    /// Whether it is better than the index of one property, if there is one too.
    let isOfUse: Bool

    /// The maximum number of searches in one index; beyond, conditions are checked on rows.
    private static let placesMax = 64

    /// The same if each search saves the query at least `entriesPerPlace` entries.
    private static let manyPlacesMax = 1_024
    private static let entriesPerPlace = 16

    /// Nil when there is no condition on the first property of the index.
    init?(_ index: ColumnID, _ view: ClassView, _ seeks: [IndexSeek], isOrdered: Bool = false) {
        self.index = index
        let parts = view.classSchema.columns[index.rawValue].parts
        if parts.isOfPlaces { return nil }
        var values: [[StoredValue]] = [[]]
        var next: IndexSeek?
        var used: [IndexSeek] = []
        var meetsUsed = true
        for part in parts.all {
            guard
                let seek = seeks.first(where: {
                    $0.column == part.column && $0.isCollated == part.isCollated
                })
            else { break }
            used.append(seek)
            guard let found = seek.values,
                values.count * found.count <= (isOrdered ? 1 : Self.placesMax)
            else {
                // After each of several values, every interval is a place of its own.
                if Self.isWorthSeeking(seek, after: values, in: index, view) {
                    next = seek
                } else {
                    used.removeLast()
                }
                break
            }
            if seek.conditions.count > 1 { meetsUsed = false }
            values = values.flatMap { before in found.map { before + [$0] } }
        }
        guard let first = used.first else { return nil }
        self.values = values
        self.next = next
        self.used = used.count
        meetsAll = meetsUsed && used.count == seeks.count
        isOfUse = used.count > 1 || !first.hasIndex
    }

    /// Whether the intervals of the next property are found sooner than all entries with one of the
    /// values of the first ones are read.
    private static func isWorthSeeking(
        _ seek: IndexSeek, after values: [[StoredValue]], in index: ColumnID, _ view: ClassView
    ) -> Bool {
        let placeCount = values.count * seek.intervalCount
        if values.count <= 1 || placeCount <= placesMax { return true }
        if placeCount > manyPlacesMax { return false }
        let entryCount = values.reduce(0) { $0 + view.range(index, equalTo: $1).count }
        return placeCount * entriesPerPlace <= entryCount
    }

    /// The number of first properties with a single value each, if the order must be kept.
    var fixedCount: Int { next == nil ? used : used - 1 }

    /// Their values, where the order is to be kept; empty where no value meets a condition.
    var fixedValues: ArraySlice<StoredValue> { values.first?.prefix(fixedCount) ?? [] }

    /// The entries, as runs in the order of the index. O(log n) each.
    func runs(_ view: ClassView) -> IndexRuns {
        var found: [IndexRange] = []
        for values in values {
            guard let next else {
                found.append(view.range(index, equalTo: values))
                continue
            }
            found += next.ranges { interval in
                switch interval {
                case .value(let value): view.range(index, equalTo: values + [value])
                case .range(let lower, let upper):
                    view.range(index, equalTo: values, from: lower, to: upper)
                }
            }
        }
        found.removeAll { $0.count == 0 }
        let ranks = IndexSeek.merged(found.map(\.ranks))
        var runs = IndexRuns(column: index, runs: ranks.map { found[0].with(ranks: $0) })
        runs.parts = used
        return runs
    }
}

/// An order that an index of several properties has: that of its properties after those that the
/// query fixes to one value.
struct CompositeOrder {
    let index: ColumnID
    /// Whether the order is that of the index, not the reverse.
    let isForward: Bool
    /// The properties of the index that are fixed or ordered by, which are first in it.
    let partCount: Int
    /// The conditions on the first properties; nil when there are none.
    let seek: CompositeSeek?
    /// Whether the index has no further properties.
    private let isWhole: Bool

    /// Whether the query fixes the values of properties before those of the order.
    var isBehindValues: Bool { (seek?.fixedCount ?? 0) > 0 }

    /// The index that leaves the fewest entries by what is known of the query, of several one that
    /// has no further properties; nil when none has the order.
    static func best(
        _ keys: [SortKey], _ view: ClassView, _ seeks: [IndexSeek]
    ) -> CompositeOrder? {
        view.classSchema.composites.compactMap { CompositeOrder($0, keys, view, seeks) }
            .max {
                ($0.seek?.used ?? 0, $0.isWhole ? 1 : 0) < ($1.seek?.used ?? 0, $1.isWhole ? 1 : 0)
            }
    }

    private init?(
        _ index: ColumnID, _ keys: [SortKey], _ view: ClassView, _ seeks: [IndexSeek]
    ) {
        let stored = view.classSchema.columns[index.rawValue].parts
        if stored.isOfPlaces { return nil }
        let parts = stored.all
        let seek = CompositeSeek(index, view, seeks, isOrdered: true)
        let fixed = seek?.fixedCount ?? 0
        var columns: [(column: ColumnID, isCollated: Bool, ascending: Bool)] = []
        for key in keys {
            let isCollated = key.measure == .collated
            guard key.path.steps.isEmpty, isCollated || key.measure == .value,
                case .value(let column, _) = key.path.end
            else { return nil }
            // A property with one fixed value does not order the rows.
            if parts.prefix(fixed).contains(where: { $0.column == ColumnID(column) }) { continue }
            columns.append((ColumnID(column), isCollated, key.ascending))
        }
        guard let first = columns.first, columns.count <= parts.count - fixed else { return nil }
        let isForward = first.ascending != parts[fixed].isDescending
        for (part, key) in zip(parts[fixed...], columns)
        where part.column != key.column || part.isCollated != key.isCollated
            || (key.ascending != part.isDescending) != isForward
        {
            return nil
        }
        self.index = index
        self.isForward = isForward
        partCount = fixed + columns.count
        isWhole = partCount == parts.count
        self.seek = seek
    }

    /// Where a position is in the index; nil where that has another order, or rows that are equal
    /// in the order are not beside each other in it.
    func ranks(of position: PagePosition, _ view: ClassView) -> EntryRanks? {
        let parts = view.classSchema.columns[index.rawValue].parts.all
        let fixed = seek?.fixedCount ?? 0
        guard isWhole, position.keys.count == parts.count - fixed else {
            return nil
        }
        var values = Array(seek?.fixedValues ?? [])
        for (part, (key, value)) in zip(parts[fixed...], zip(position.keys, position.values)) {
            guard key.isValue(of: part.column, isCollated: part.isCollated),
                (key.ascending != part.isDescending) == isForward, let value
            else { return nil }
            values.append(value)
        }
        return view.ranks(index, of: values, position.row)
    }
}

extension SortKey {
    /// Whether it is a property of the rows themselves.
    func isValue(of column: ColumnID, isCollated: Bool) -> Bool {
        guard path.steps.isEmpty, measure == (isCollated ? .collated : .value),
            case .value(let found, _) = path.end
        else { return false }
        return ColumnID(found) == column
    }
}
