import Storage

extension RowStream {
    /// The rows of the source, filtered by the first stage if that is part of the scan.
    init(_ query: ResultsQuery, _ view: TreeView, _ cancellation: EvaluationCancellation = .ignored)
    {
        switch query.source {
        case .all:
            let stages = query.stages
            if case .filter(let filter)? = stages.first {
                var limit = Int.max
                if stages.count > 1, case .limit(let count) = stages[1] {
                    limit = count
                }
                if let runs = filter.indexed(view, query.classID, limit: limit) {
                    let keys = RowStream.keys(runs.keys())
                    self =
                        runs.isExact
                        ? keys : keys.filtered(filter, query.classID, view, cancellation)
                } else {
                    self = .clusters(filter.scanned(view, query.classID, cancellation))
                }
            } else {
                self = .clusters(.constant(true))
            }
        case .collection(let owner, let key, let column):
            self = .keys(RowStream.elements(owner, key, column, view))
        case .backlinks(let target, let origin, let column):
            var keys: [RowKey] = []
            view.backlinks(to: target, origin: origin, column: column).forEach { keys.append($0) }
            self = .keys(keys)
        }
    }

    private static func elements(
        _ owner: ClassID, _ key: RowKey, _ column: ColumnID, _ view: TreeView
    ) -> [RowKey] {
        guard let row = view.classView(owner).locate(key) else { return [] }
        let schema = view.schema[owner].columns[column.rawValue]
        let elements =
            schema.container == .map
            ? row.cluster.map(column.rawValue, row.slot, schema).values
            : row.cluster.sequence(column.rawValue, row.slot, schema)
        var keys: [RowKey] = []
        elements.forEach { if case .link(let key) = $0 { keys.append(key) } }
        return keys
    }

    func filtered(
        _ filter: RowFilter, _ classID: ClassID, _ view: TreeView,
        _ cancellation: EvaluationCancellation = .ignored
    ) -> RowStream {
        switch self {
        case .clusters(let predicate):
            return .clusters(.and([predicate, filter.predicate]))
        case .keys(let keys):
            let rows = view.classView(classID)
            let predicate = filter.predicate.prepared(for: keys.count, in: view, cancellation)
            return .keys(RowStream.filtered(keys, predicate, rows, view, cancellation))
        }
    }
}
