import Storage

/// Rows in groups by a value, with measures of each group.
struct GroupTable: Sendable {
    /// The path to the values by which the rows are grouped; nil if all rows are one group.
    private let path: ValuePath?
    private var index = GroupIndex()
    private(set) var columns: [GroupColumn]
    /// The number of rows in each group.
    private(set) var sizes: [UInt32] = []
    /// The groups of the rows that links lead to, where they lead across one.
    private var linked: [RowKey: Int] = [:]
    /// The groups in order, where equal values had several that were merged.
    private var merged: [Int]?

    init(by path: ValuePath?, _ measures: [GroupMeasure]) {
        self.path = path
        columns = measures.map { GroupColumn($0, isSingle: path == nil) }
        if path == nil {
            note(index.numberOfNull())
            // The single group exists even without rows.
            for index in columns.indices { columns[index].grow(to: 1) }
        }
    }

    /// The rows of a query in the version of `view`. One pass over them.
    init(_ query: ResultsQuery, by path: ValuePath?, _ measures: [GroupMeasure], _ view: TreeView) {
        self.init(by: path, measures)
        var rest = query.isWholeClass ? view.classView(query.classID).count : 0
        var sample = GroupIndex.sampleSize
        query.forEachMask(view) { cluster, mask in
            add(cluster, mask, view)
            if sample <= 0 { return }
            (rest, sample) = (rest - mask.count, sample - mask.count)
            if sample <= 0 { adapt(to: rest) }
        }
        for index in columns.indices { columns[index].mergeValues() }
        if index.isMergedWhenOrdered { merge() }
    }

    /// Prepares for `rest` further rows after a sample.
    private mutating func adapt(to rest: Int) {
        for index in columns.indices { columns[index].adapt(to: rest) }
        let mayMerge = columns.allSatisfy(\.measure.isReversible)
        if let groups = index.adapt(to: rest, mayMerge: mayMerge) { sizes.reserveCapacity(groups) }
    }

    /// Merges groups with equal values.
    private mutating func merge() {
        var pairs: [(group: Int, other: Int)] = []
        merged = index.ordered(0..<count) { pairs.append((group: $0, other: $1)) }
        for (group, other) in pairs {
            sizes[other] += sizes[group]
            sizes[group] = 0
            for index in columns.indices { columns[index].merge(group, into: other) }
        }
    }

    /// The number of groups, empty ones included.
    var count: Int { merged?.count ?? index.count }

    /// The value by which the rows of a group are grouped.
    func key(_ group: Int) -> StoredValue { index[group] }

    /// The groups that have rows, in the order of their values: nil first.
    var ordered: [Int] {
        if let merged { return merged }
        let isWhole = path == nil
        return index.ordered((0..<count).lazy.filter { isWhole || sizes[$0] > 0 })
    }

    /// The values of a group, measure by measure.
    func results(_ group: Int) -> [GroupResult] {
        results(CollectionOfOne(group)).flatMap(\.self)
    }

    /// The values of some groups, for each measure.
    func results(_ groups: some Sequence<Int>) -> [[GroupResult]] {
        columns.map { $0.results(groups, of: sizes) }
    }

    private static let partSize = 256

    /// The groups in the order of their values, a part of them at a time: their keys, and their
    /// values for each measure. The data of the groups of a part is scattered in memory, and is
    /// fetched all at once.
    func parts() -> some Sequence<(keys: [StoredValue], columns: [[GroupResult]])> {
        let ordered = ordered
        return stride(from: 0, to: ordered.count, by: Self.partSize).lazy.map { start in
            let part = ordered[start..<min(start + Self.partSize, ordered.count)]
            return (index.values(of: part), results(part))
        }
    }

    /// Resets some columns of some groups.
    mutating func clear(_ columns: [Int], of groups: Set<Int>) {
        for index in columns {
            for group in groups { self.columns[index].clear(group) }
        }
    }

    /// Takes a row out of a group, with the integers that it has added to some columns. What cannot
    /// be subtracted stays.
    mutating func remove(_ group: Int, _ integers: [(column: Int, value: Int64?)]) {
        sizes[group] -= 1
        for (column, value) in integers { columns[column].remove(value, from: group) }
    }

    /// Adds a row of a group that has it already to some columns.
    mutating func add(_ row: RowLocation, to group: Int, _ columns: [Int], _ view: TreeView) {
        for index in columns {
            self.columns[index].grow(to: sizes.count)
            self.columns[index].add(row.cluster, ClusterMask(slot: row.slot), view) { _ in group }
        }
    }

    /// Adds rows of a cluster. `note` is given their slots with their groups.
    mutating func add(
        _ cluster: Cluster, _ mask: ClusterMask, _ view: TreeView,
        _ note: (Int, Int) -> Void = { _, _ in }
    ) {
        var groups = [Int](repeating: 0, count: Cluster.slotsMax)
        number(cluster, mask, view, &groups)
        mask.forEach { slot in
            sizes[groups[slot]] += 1
            note(slot, groups[slot])
            return true
        }
        for index in columns.indices {
            columns[index].grow(to: sizes.count)
            columns[index].add(cluster, mask, view) { groups[$0] }
        }
    }

    /// Adds one row; returns its group.
    mutating func add(_ row: RowLocation, _ view: TreeView) -> Int {
        let group = group(of: row.cluster, row.slot, view)
        sizes[group] += 1
        add(row, to: group, Array(columns.indices), view)
        return group
    }

    /// Has room for one group more, if it is one.
    @discardableResult
    private mutating func note(_ group: Int) -> Int {
        if group == sizes.count { sizes.append(0) }
        return group
    }

    /// Writes the groups of rows to their slots in `groups`.
    private mutating func number(
        _ cluster: Cluster, _ mask: ClusterMask, _ view: TreeView, _ groups: inout [Int]
    ) {
        // All rows are in the first group.
        guard let path else { return }
        if path.steps.isEmpty, case .value(let column, let schema) = path.end {
            index.number(cluster, column, mask, schema, &groups)
            while sizes.count < count { sizes.append(0) }
            return
        }
        mask.forEach { slot in
            groups[slot] = group(of: cluster, slot, view)
            return true
        }
    }

    private mutating func group(of cluster: Cluster, _ slot: Int, _ view: TreeView) -> Int {
        guard let path, case .value(let column, let schema) = path.end else { return 0 }
        if path.steps.isEmpty { return note(index.number(cluster, column, slot, schema)) }
        let row = RowLocation(cluster: cluster, slot: slot)
        guard case .link(let hop) = path.steps[0], let link = cluster.link(hop.column, slot) else {
            return note(index.numberOfNull())
        }
        if let known = linked[link] { return known }
        let value = row.following(path.steps[...], view)?.value(column, schema) ?? .null
        let group = note(index.number(of: view.present(value)))
        linked[link] = group
        return group
    }
}

extension ResultsQuery {
    /// Visits the rows in no order, those of a cluster together where that is no more work.
    func forEachMask(_ view: TreeView, _ body: (Cluster, ClusterMask) -> Void) {
        let query = unordered
        let stream: RowStream
        if query.isWholeClass {
            stream = .clusters(.constant(true))
        } else if let filter = query.soleFilter, filter.indexed(view, classID) == nil {
            stream = .clusters(filter.scanned(view, classID))
        } else {
            stream = .keys(query.evaluate(in: view))
        }
        if case .keys = stream {
            stream.forEachRow(view, classID) { row in
                body(row.cluster, ClusterMask(slot: row.slot))
                return true
            }
        } else {
            stream.forEachMask(view, classID) { cluster, mask in
                body(cluster, mask)
                return true
            }
        }
    }
}
