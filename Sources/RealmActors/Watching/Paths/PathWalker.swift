import Storage

/// Finds the objects whose key path crosses touched rows, by walking the path backwards from these.
struct PathWalker: Sendable {
    let path: WatchedPath

    /// The rows of the root class that the marks touch along the path.
    ///
    /// Rows that a backlink property has lost are not among them: the marks do not say where a link
    /// pointed before. ``BacklinkHashes`` finds those.
    func modified(by marks: MergedMarks, in graph: some LinkGraph) -> Set<RowKey> {
        var modified: Set<RowKey> = []
        for (depth, step) in path.steps.enumerated() {
            var holders = holders(touchedAt: step, marks, graph)
            for previous in path.steps[..<depth].reversed() where !holders.isEmpty {
                holders = self.holders(of: holders, before: previous, graph)
            }
            modified.formUnion(holders)
        }
        return modified
    }

    /// Whether the marks touch one row of the root class along the path.
    ///
    /// A path of links to single objects is walked from the row: there may be as many streams of
    /// objects as rows that a commit touched, or as rows that link to a touched one.
    func modifies(_ row: RowKey, by marks: MergedMarks, in graph: some LinkGraph) -> Bool {
        guard isSingular(in: graph) else { return modified(by: marks, in: graph).contains(row) }
        var next: RowKey? = row
        for (depth, step) in path.steps.enumerated() {
            guard case .column(let column, let id) = step, let row = next else { return false }
            if marks.columns(of: row, in: id).contains(column) { return true }
            next = nil
            if depth + 1 == path.steps.count { break }
            graph.forEachTarget(of: row, in: id, column: column) { next = $0 }
        }
        return false
    }

    /// Whether each property on the way to the last one links to one object.
    private func isSingular(in graph: some LinkGraph) -> Bool {
        for (depth, step) in path.steps.enumerated() {
            guard case .column(let column, let id) = step else { return false }
            if depth + 1 < path.steps.count, graph.isCollection(column, of: id) { return false }
        }
        return true
    }

    /// The rows whose property `step` was written.
    private func holders(
        touchedAt step: PathStep, _ marks: MergedMarks, _ graph: some LinkGraph
    ) -> Set<RowKey> {
        switch step {
        case .column(let column, let id):
            guard let marks = marks.classes[id] else { return [] }
            var rows: Set<RowKey> = []
            for (key, columns) in marks.touched where columns.contains(column) { rows.insert(key) }
            return rows
        case .backlinks(let origin, let column):
            guard let marks = marks.classes[origin] else { return [] }
            var rows: Set<RowKey> = []
            for (key, columns) in marks.touched where columns.contains(column) {
                guard graph.isCollection(column, of: origin) else {
                    graph.forEachTarget(of: key, in: origin, column: column) { rows.insert($0) }
                    continue
                }
                let sequence = SequenceID(key: key, column: column)
                // Only the written positions: the other elements are unchanged. If the positions
                // are unknown, the hashes show which rows the collection has gained.
                let positions = marks.writtenPositions(of: sequence) ?? []
                graph.forEachTarget(of: key, in: origin, column: column, at: positions) {
                    rows.insert($0)
                }
            }
            for key in marks.created.lazy.flatMap({ $0 }) {
                graph.forEachTarget(of: RowKey(key), in: origin, column: column) { rows.insert($0) }
            }
            return rows
        }
    }

    /// The rows from which `step` leads to one of `rows`.
    private func holders(
        of rows: Set<RowKey>, before step: PathStep, _ graph: some LinkGraph
    ) -> Set<RowKey> {
        var holders: Set<RowKey> = []
        for row in rows {
            switch step {
            case .column(let column, let id):
                graph.forEachOrigin(of: row, origin: id, column: column) { holders.insert($0) }
            case .backlinks(let origin, let column):
                graph.forEachTarget(of: row, in: origin, column: column) { holders.insert($0) }
            }
        }
        return holders
    }
}
