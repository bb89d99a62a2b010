import Storage

/// The group of each row, and the integers that the row has added to sums.
struct GroupMembers: Sendable {
    private var places: [RowKey: Int] = [:]
    private var groups: [Int] = []
    /// `width` integers for each row; nil where a row has none.
    private var integers: [Int64?] = []
    private var free: [Int] = []
    private let width: Int

    init(sums width: Int) { self.width = width }

    var count: Int { places.count }

    /// Adds a row to a group, with its integers.
    mutating func insert(
        _ row: RowLocation, _ group: Int, _ columns: [(column: Int, schema: ColumnSchema)]
    ) {
        let place = free.popLast() ?? groups.count
        if place == groups.count {
            groups.append(group)
            for _ in columns { integers.append(nil) }
        }
        groups[place] = group
        for (index, (column, schema)) in columns.enumerated() {
            let isNull = schema.isNullable && row.cluster.isNull(column, row.slot)
            integers[place * width + index] = isNull ? nil : row.cluster.int(column, row.slot)
        }
        places[row.cluster.key(row.slot)] = place
    }

    /// Removes a row; nil when it was not there.
    mutating func remove(_ key: RowKey) -> (group: Int, values: [Int64?])? {
        guard let place = places.removeValue(forKey: key) else { return nil }
        free.append(place)
        return (groups[place], Array(integers[place * width..<(place + 1) * width]))
    }

    /// The rows of some groups, ascending, each with its group.
    func rows(of wanted: Set<Int>) -> [(key: RowKey, group: Int)] {
        var rows: [(key: RowKey, group: Int)] = []
        for (key, place) in places where wanted.contains(groups[place]) {
            rows.append((key, groups[place]))
        }
        return rows.sorted { $0.key < $1.key }
    }
}
