package import Storage

/// Values that an index finds the rows of, so that a query need not look at every row.
package struct IndexSeek: Sendable {
    package let column: ColumnID
    package let isPrimaryKey: Bool
    package let values: [StoredValue]

    /// The seek that the conditions of `expression` allow; nil when they need a scan.
    package init?(
        _ expression: QueryExpression, schema: any QuerySchema, classID: ClassID
    ) {
        let columns = schema.store[classID]
        func seek(_ path: QueryPath, _ values: [StoredValue]) -> IndexSeek? {
            guard path.steps.count == 1, values.allSatisfy({ !$0.isNull }),
                case .column(let id)? = schema.property(path.steps[0], of: classID)
            else { return nil }
            let column = columns.columns[id.rawValue]
            guard column.container == .none, column.kind != .link, column.kind != .mixed else {
                return nil
            }
            let isPrimaryKey = columns.primaryKey == id
            guard isPrimaryKey || column.isIndexed else { return nil }
            return IndexSeek(column: id, isPrimaryKey: isPrimaryKey, values: values)
        }
        switch expression {
        case .comparison(let path, .equal, let value):
            guard let found = seek(path, [value]) else { return nil }
            self = found
        case .member(let path, let values):
            guard let found = seek(path, values) else { return nil }
            self = found
        case .and(let left, let right):
            let first = IndexSeek(left, schema: schema, classID: classID)
            let second = IndexSeek(right, schema: schema, classID: classID)
            guard let best = IndexSeek.better(first, second) else { return nil }
            self = best
        default: return nil
        }
    }

    private init(column: ColumnID, isPrimaryKey: Bool, values: [StoredValue]) {
        self.column = column
        self.isPrimaryKey = isPrimaryKey
        self.values = values
    }

    private static func better(_ a: IndexSeek?, _ b: IndexSeek?) -> IndexSeek? {
        guard let a, let b else { return a ?? b }
        if a.isPrimaryKey != b.isPrimaryKey { return a.isPrimaryKey ? a : b }
        return a.values.count <= b.values.count ? a : b
    }

    /// The rows, in the order of their creation.
    package func rows(_ view: ClassView) -> [RowKey] {
        if isPrimaryKey { return values.compactMap { view.find($0) }.sortedAndUnique() }
        if values.count == 1 { return view.rows(column, equalTo: values[0]) }
        return values.flatMap { view.rows(column, equalTo: $0) }.sortedAndUnique()
    }
}

extension [RowKey] {
    fileprivate func sortedAndUnique() -> [RowKey] {
        var unique: [RowKey] = []
        for key in sorted() where unique.last != key { unique.append(key) }
        return unique
    }
}
