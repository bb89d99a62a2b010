import Storage

extension ResultsQuery {
    /// Whether the marks may change the rows of the query or their order.
    ///
    /// Linear in the marks. Rows outside of the query's source change nothing.
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
            // `created` contains the owner if the stream began inside the write that created it.
            return owners.touched[key]?.contains(column) ?? false || owners.deleted.contains(key)
                || owners.created.contains { $0.contains(key.rawValue) }
        case .backlinks(_, let origin, let column):
            guard let origins = marks.classes[origin] else { return false }
            return !origins.created.isEmpty || !origins.deleted.isEmpty
                || origins.touched.contains { $0.value.contains(column) }
        }
    }

    /// Whether an order by relevance may change: any text of the class affects it, also of objects
    /// that are not among the rows. Texts across links are in `reached` already.
    private func isReranked(by marks: MergedMarks.ClassMarks) -> Bool {
        stages.contains { stage in
            guard case .rank(let relevance) = stage, relevance.steps.isEmpty else { return false }
            return !marks.created.isEmpty || !marks.deleted.isEmpty
                || marks.touched.contains { _, columns in
                    relevance.texts.columns.contains { columns.contains($0) }
                }
        }
    }

    /// The properties of a row that its position depends on; nil when any may.
    private var decisiveColumns: ColumnSet? {
        var columns = ColumnSet()
        for stage in stages {
            let paths: [ValuePath]
            switch stage {
            case .filter: return nil
            case .sort(let keys): paths = keys.map(\.path)
            case .distinct(let found): paths = found
            // `isReranked` has checked the texts of the rows themselves.
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
    /// Whether a row is in the source. O(log n).
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
