import Storage

/// One measure of every group, by the numbers of the groups.
struct GroupColumn: Sendable {
    let measure: GroupMeasure
    private var distinct: DistinctValues?
    private var totals: [AggregateTotal] = []
    private var extremes: [StoredValue] = []

    /// - Parameter isSingle: Whether all rows are one group.
    init(_ measure: GroupMeasure, isSingle: Bool) {
        self.measure = measure
        if case .distinctCount(let path) = measure {
            distinct = DistinctValues(path, isSingle: isSingle)
        }
    }

    /// The measures of some groups.
    ///
    /// - Parameter sizes: how many rows each group has.
    func results(_ groups: some Sequence<Int>, of sizes: [UInt32]) -> [GroupResult] {
        switch measure {
        case .count: groups.map { .count(Int(sizes[$0])) }
        case .distinctCount: groups.map { .count(distinct?.count($0) ?? 0) }
        case .total: groups.map { .total(totals[$0]) }
        case .extreme: groups.map { .value(extremes[$0]) }
        }
    }

    /// Has room for so many groups.
    mutating func grow(to count: Int) {
        switch measure {
        case .count: break
        case .distinctCount: distinct?.grow(to: count)
        case .total: while totals.count < count { totals.append(AggregateTotal()) }
        case .extreme: while extremes.count < count { extremes.append(.null) }
        }
    }

    /// Resets a group.
    mutating func clear(_ group: Int) {
        switch measure {
        case .count: break
        case .distinctCount: distinct?.clear(group)
        case .total: totals[group] = AggregateTotal()
        case .extreme: extremes[group] = .null
        }
    }

    /// Whether it keeps mostly values that no group has any more.
    var isSparse: Bool { distinct?.isSparse ?? false }

    /// Prepares for `rest` further rows after a sample.
    mutating func adapt(to rest: Int) { distinct?.adapt(to: rest) }

    /// Merges equal values, once all rows were added.
    mutating func mergeValues() { distinct?.merge() }

    /// Adds what a group has to another one, where that is exact.
    mutating func merge(_ group: Int, into other: Int) {
        guard case .total = measure else { return }
        totals[other].integers += totals[group].integers
        totals[other].count += totals[group].count
    }

    /// Subtracts what a row has added to a sum of integers.
    mutating func remove(_ value: Int64?, from group: Int) {
        guard let value else { return }
        totals[group].integers -= Int128(value)
        totals[group].count -= 1
    }

    /// Adds rows. `group` says which group the row at a slot is in.
    @inline(__always)
    mutating func add(
        _ cluster: Cluster, _ mask: ClusterMask, _ view: TreeView, _ group: (Int) -> Int
    ) {
        if case .distinctCount = measure {
            distinct?.add(cluster, mask, view, group)
            return
        }
        guard let path = measure.path, case .value(let column, let schema) = path.end else {
            return
        }
        if path.steps.isEmpty {
            var mask = mask
            if schema.isNullable, schema.kind != .mixed {
                mask.subtract(ClusterMask.nulls(column, cluster))
            }
            add(cluster, column, schema, mask, view, group)
            return
        }
        mask.forEach { slot in
            let row = RowLocation(cluster: cluster, slot: slot)
            if let last = row.following(path.steps[...], view) {
                add(view.present(last.value(column, schema)), to: group(slot))
            }
            return true
        }
    }

    @inline(__always)
    private mutating func add(
        _ cluster: Cluster, _ column: Int, _ schema: ColumnSchema, _ mask: ClusterMask,
        _ view: TreeView, _ group: (Int) -> Int
    ) {
        if case .total = measure, schema.kind == .int {
            mask.forEach { slot in
                let group = group(slot)
                totals[group].integers += Int128(cluster.int(column, slot))
                totals[group].count += 1
                return true
            }
        } else if case .total = measure, schema.kind == .double {
            mask.forEach { slot in
                let value = cluster.double(column, slot)
                if value.isNaN { return true }
                let group = group(slot)
                totals[group].reals += value
                totals[group].count += 1
                return true
            }
        } else {
            mask.forEach { slot in
                add(view.present(cluster.value(column, slot, schema)), to: group(slot))
                return true
            }
        }
    }

    /// Adds one value; null and what is not a number do not count.
    private mutating func add(_ value: StoredValue, to group: Int) {
        if value.isNull || value.isNotANumber { return }
        switch measure {
        case .count, .distinctCount: break
        case .total: totals[group].add(value)
        case .extreme(let aggregate, _):
            let best = extremes[group]
            if best.isNull || (aggregate == .maximum ? best < value : value < best) {
                extremes[group] = value
            }
        }
    }
}
