import Storage

extension ResultsQuery {
    /// Whether what the marks touched may change which rows it gives, or their order.
    ///
    /// Costs as much as was touched. Rows that are not of the query's source change nothing.
    func isAffected(by marks: MergedMarks, in view: TreeView) -> Bool {
        if marks.isEverything || reached.contains(where: marks.touches) { return true }
        if isSourceAffected(by: marks) { return true }
        guard let own = marks.classes[classID] else { return false }
        if isReranked(by: own) { return true }
        let decisive = decisiveColumns
        return own.touched.contains { key, columns in
            (decisive.map { !columns.isDisjoint(with: $0) } ?? true)
                && source.contains(key, in: view)
        }
    }

    /// Whether rows may have been added to the source, or removed from it.
    private func isSourceAffected(by marks: MergedMarks) -> Bool {
        switch source {
        case .all:
            guard let own = marks.classes[classID] else { return false }
            return !own.created.isEmpty || !own.deleted.isEmpty
        case .collection(let owner, let key, let column):
            guard let owners = marks.classes[owner] else { return false }
            // Created where the stream began inside the write that made the object.
            return owners.touched[key]?.contains(column) ?? false || owners.deleted.contains(key)
                || owners.created.contains { $0.contains(key.rawValue) }
        case .backlinks(_, let origin, let column):
            guard let origins = marks.classes[origin] else { return false }
            return !origins.created.isEmpty || !origins.deleted.isEmpty
                || origins.touched.contains { $0.value.contains(column) }
        }
    }

    /// Whether an order of relevance may change: by any text of the class, also where that is not
    /// among the rows. Strings that links lead to are those of a class that is reached.
    private func isReranked(by marks: MergedMarks.ClassMarks) -> Bool {
        stages.contains { stage in
            guard case .rank(let relevance) = stage, relevance.steps.isEmpty else { return false }
            return !marks.created.isEmpty || !marks.deleted.isEmpty
                || marks.touched.contains { _, columns in
                    relevance.texts.columns.contains { columns.contains($0) }
                }
        }
    }

    /// The properties of a row that decide about its place; nil when any may.
    private var decisiveColumns: ColumnSet? {
        var columns = ColumnSet()
        for stage in stages {
            let paths: [ValuePath]
            switch stage {
            case .filter: return nil
            case .sort(let keys): paths = keys.map(\.path)
            case .distinct(let found): paths = found
            // Whatever is written to strings of the rows themselves was checked before.
            case .rank(let relevance): paths = relevance.steps.isEmpty ? [] : relevance.paths
            case .limit: paths = []
            }
            for path in paths {
                guard let column = path.firstColumn else { return nil }
                columns.insert(column)
            }
        }
        return columns
    }
}

extension RowSource {
    /// Whether a row is among those that the source gives. O(log n).
    fileprivate func contains(_ key: RowKey, in view: TreeView) -> Bool {
        switch self {
        case .all: true
        case .collection(let owner, let holder, let column):
            Self.contains(holder, view.backlinks(to: key, origin: owner, column: column))
        case .backlinks(let target, let origin, let column):
            Self.contains(key, view.backlinks(to: target, origin: origin, column: column))
        }
    }

    /// Whether a row is in a range of rows that ascend.
    private static func contains(_ key: RowKey, _ rows: IndexRange) -> Bool {
        let place = (0..<rows.count).partition { rows[$0] < key }
        return place < rows.count && rows[place] == key
    }
}
