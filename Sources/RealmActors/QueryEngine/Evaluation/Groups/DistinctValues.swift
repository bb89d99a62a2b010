import Storage

/// The different values of a property among all rows, or among those of each of several groups.
/// Null and NaN do not count.
struct DistinctValues: Sendable {
    private let path: ValuePath
    private var index = GroupIndex()
    /// The numbers of the values in each group; nil if all rows are one group.
    private var groups: [Set<UInt32>]?
    /// The sum of the sizes of ``groups``.
    private var entryCount = 0
    /// The number of values, where equal texts had several numbers.
    private var merged: Int?
    /// The numbers of the values of a cluster, by slot.
    private var numbers = [Int](repeating: 0, count: Cluster.slotsMax)

    /// - Parameter isSingle: Whether all rows are one group.
    init(_ path: ValuePath, isSingle: Bool) {
        self.path = path
        groups = isSingle ? nil : []
    }

    /// The number of different values in a group.
    func count(_ group: Int) -> Int { groups?[group].count ?? merged ?? index.count }

    /// Has room for so many groups.
    mutating func grow(to count: Int) {
        while let size = groups?.count, size < count { groups?.append([]) }
    }

    /// Resets a group.
    mutating func clear(_ group: Int) {
        guard let count = groups?[group].count else { return }
        entryCount -= count
        groups?[group] = []
    }

    /// Whether most of the values are in no group any more.
    var isSparse: Bool { groups != nil && index.count > 64 + 2 * entryCount }

    /// Prepares for `rest` further rows after a sample.
    mutating func adapt(to rest: Int) {
        // The numbers of a group could not be merged.
        index.adapt(to: rest, mayMerge: groups == nil)
    }

    /// Merges equal texts with several numbers, once all rows were added.
    mutating func merge() {
        if index.isMergedWhenOrdered { merged = index.ordered(0..<index.count).count }
    }

    /// Adds rows. `group` says which group the row at a slot is in.
    @inline(__always)
    mutating func add(
        _ cluster: Cluster, _ mask: ClusterMask, _ view: TreeView, _ group: (Int) -> Int
    ) {
        guard case .value(let column, let schema) = path.end else { return }
        if path.steps.isEmpty {
            let numbered = numberValues(cluster, column, schema, mask, view)
            if groups == nil { return }
            numbered.forEach { slot in
                insert(numbers[slot], into: group(slot))
                return true
            }
            return
        }
        mask.forEach { slot in
            let row = RowLocation(cluster: cluster, slot: slot)
            guard let last = row.following(path.steps[...], view) else { return true }
            let numbered = numberValues(
                last.cluster, column, schema, ClusterMask(slot: last.slot), view)
            if groups == nil || numbered.isEmpty { return true }
            insert(numbers[last.slot], into: group(slot))
            return true
        }
    }

    /// Adds the value with a number to a group.
    @inline(__always)
    private mutating func insert(_ number: Int, into group: Int) {
        if groups?[group].insert(UInt32(number)).inserted == true { entryCount += 1 }
    }

    /// Writes the numbers of values in a column to their slots in ``numbers``.
    ///
    /// - Returns: The rows with a value that counts.
    private mutating func numberValues(
        _ cluster: Cluster, _ column: Int, _ schema: ColumnSchema, _ mask: ClusterMask,
        _ view: TreeView
    ) -> ClusterMask {
        var rows = mask
        if schema.isNullable, schema.kind != .mixed {
            rows.subtract(ClusterMask.nulls(column, cluster))
        }
        switch schema.kind {
        case .double, .date:
            rows.filter { !cluster.double(column, $0).isNaN }
            index.number(cluster, column, rows, schema, &numbers)
        case .int, .bool, .string, .data, .uuid, .objectID:
            index.number(cluster, column, rows, schema, &numbers)
        case .float, .decimal, .link, .mixed:
            rows.filter { slot in
                let value = path.distinguished(cluster.value(column, slot, schema), view)
                if value.isNull || value.isNotANumber { return false }
                numbers[slot] = index.number(of: value)
                return true
            }
        }
        return rows
    }
}
