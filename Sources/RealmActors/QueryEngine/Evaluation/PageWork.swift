import Storage

/// A page of the results of stages: the first rows after a position.
///
/// It is equivalent to these stages with a filter and a limit, which are created on demand: they
/// cost more than finding the rows if an index has all of them in order.
final class PageWork: Sendable {
    private let query: ResultsQuery
    private let position: PagePosition?
    private let limit: Int

    init(of query: ResultsQuery, behind position: PagePosition?, limit: Int) {
        (self.query, self.position, self.limit) = (query, position, limit)
    }

    /// The equivalent stages.
    var stages: [RowStage] {
        let rest = position.map { query.adding(.filter($0.filter)) } ?? query
        return rest.adding(.limit(limit)).stages
    }

    /// The rows, where an index of several properties has those with certain values in the order
    /// requested; nil where none has.
    func lookedUp(in rows: ClassView) -> [RowKey]? {
        guard case .all = query.source, let lookUp = OrderedLookUp(query.stages) else {
            return nil
        }
        return lookUp.keys(in: rows, behind: position, limit: limit)
    }
}

/// Rows whose first values in an index of several properties are given, in the order of all others
/// that it has.
private struct OrderedLookUp {
    private let index: IndexedColumn
    private let values: [StoredValue]
    private let isAscending: Bool
    /// Whether some keys of the order are by properties whose values are given: these do not affect
    /// the order.
    private let namesGiven: Bool

    /// Nil for any other stages.
    init?(_ stages: [RowStage]) {
        guard stages.count == 2, case .filter(let filter) = stages[0],
            case .sort(let keys) = stages[1], let equality = filter.equality,
            !equality.values.isEmpty
        else { return nil }
        (index, values) = (equality.column, equality.values)
        let (parts, count) = (index.parts, values.count)
        namesGiven = keys.count != parts.count - count
        var rest = keys
        if namesGiven { rest.removeAll { Self.given($0, parts, count) != nil } }
        guard rest.count == parts.count - count, let first = rest.first else { return nil }
        isAscending = first.ascending != parts[count].isDescending
        for (offset, key) in rest.enumerated() {
            let part = parts[count + offset]
            guard key.isValue(of: part.column, isCollated: part.isCollated),
                (key.ascending != part.isDescending) == isAscending
            else { return nil }
        }
    }

    /// The number of the property with a given value that a key is by; nil for every other key.
    private static func given(_ key: SortKey, _ parts: IndexParts, _ count: Int) -> Int? {
        (0..<count).first { key.isValue(of: parts[$0].column, isCollated: false) }
    }

    /// The values of a position in the properties of the index; nil if it is not among the rows.
    private func sought(_ position: PagePosition) -> [StoredValue]? {
        var sought = values
        guard namesGiven else {
            for value in position.values {
                guard let value else { return nil }
                sought.append(value)
            }
            return sought
        }
        for (key, value) in zip(position.keys, position.values) {
            guard let value else { return nil }
            if let given = Self.given(key, index.parts, values.count) {
                // A position with another value is before or after all of these rows.
                guard ExactValue(value) == ExactValue(values[given]) else { return nil }
            } else {
                sought.append(value)
            }
        }
        return sought
    }

    /// The first rows after a position; nil where the index does not determine the position.
    func keys(in rows: ClassView, behind position: PagePosition?, limit: Int) -> [RowKey]? {
        let column = ColumnID(index.number)
        guard index.number < rows.classSchema.columns.count else { return nil }
        var runs = IndexRuns(column: column, runs: [rows.range(column, equalTo: values)])
        runs.parts = index.parts.count
        if let position {
            guard let sought = self.sought(position),
                let ranks = rows.ranks(column, of: sought, position.row)
            else { return nil }
            runs = runs.behind(ranks, ascending: isAscending)
        }
        var keys: [RowKey] = []
        keys.reserveCapacity(min(limit, runs.count))
        runs.forEach(ascending: isAscending) { key in
            keys.append(key)
            return keys.count < limit
        }
        return keys
    }
}
