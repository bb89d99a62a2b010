package import Storage

extension ResultsQuery {
    /// The rows in the given version; fewer of them where `cancellation` is over at the end.
    package func evaluate(
        in view: TreeView, _ cancellation: EvaluationCancellation = .ignored
    ) -> [RowKey] {
        if let found = lookedUp(in: view) { return found.keys }
        if let unfolded { return unfolded.evaluate(in: view, cancellation) }
        let stages = stages
        var rows: RowStream
        var index = 0
        if let walk = IndexScan(self, view, cancellation), let keys = walk.keys() {
            rows = .keys(keys)
            index = walk.stageCount
        } else {
            rows = RowStream(self, view, cancellation)
            // The scan has applied a filter that comes first already.
            if case .all = source, case .filter? = stages.first { index = 1 }
        }
        while index < stages.count, !cancellation.isCancelled {
            switch stages[index] {
            case .filter(let filter): rows = rows.filtered(filter, classID, view, cancellation)
            case .sort(let keys):
                let sorter = RowSorter(
                    keys: keys, view: view, classID: classID, cancellation: cancellation)
                rows = .keys(sorter.sort(rows, limit: limit(behind: index)))
            case .rank(let relevance):
                rows = .keys(
                    RelevanceScores.sort(
                        rows, by: relevance, limit: limit(behind: index), in: view, classID,
                        cancellation))
            case .distinct(let paths): rows = .keys(distinct(rows, paths, view, cancellation))
            case .limit(let count): rows = .keys(rows.prefix(count, view, classID))
            }
            index += 1
        }
        return rows.allKeys(view, classID, cancellation)
    }

    /// The number of rows of a stage that are needed; nil for all.
    private func limit(behind index: Int) -> Int? {
        guard index + 1 < stages.count, case .limit(let count) = stages[index + 1] else {
            return nil
        }
        return count
    }

    /// The number of rows in the given version.
    package func count(in view: TreeView) -> Int {
        countWithoutKeys(in: view) ?? evaluate(in: view).count
    }

    /// The number of rows where that takes less work than a list of them; nil where it does not.
    ///
    /// - Parameter scans: Whether rows may be examined, rather than trees and indexes only.
    func countWithoutKeys(in view: TreeView, scans: Bool = true) -> Int? {
        if isWholeClass { return view.classView(classID).count }
        if let count = lookedUpCount(in: view) { return count }
        if let filter = soleFilter { return count(filter, view, scans: scans) }
        switch stages.last {
        case .sort?, .rank?:
            let query = droppingLast
            if let count = query.countWithoutKeys(in: view, scans: scans) { return count }
            return scans ? query.evaluate(in: view).count : nil
        case .limit(let limit)?:
            return droppingLast.countWithoutKeys(in: view, scans: false).map { min($0, limit) }
        case .filter?, .distinct?, nil: return nil
        }
    }

    private func count(_ filter: RowFilter, _ view: TreeView, scans: Bool) -> Int? {
        let best = filter.conditions.best(view.classView(classID))
        if let best, best.isExact { return best.count }
        if let found = filter.indexed(view, classID) {
            return found.isExact && !found.mayRepeat ? found.count : nil
        }
        guard scans else { return nil }
        var count = 0
        RowStream.clusters(filter.scanned(view, classID)).forEachMask(view, classID) { _, mask in
            count &+= mask.count
            return true
        }
        return count
    }

    /// Whether all rows are sorted, although a limit keeps only some: finding one row takes as long
    /// as finding all of them.
    func sortsAllForSome(in view: TreeView) -> Bool {
        let stages = stages
        guard stages.count > 1, case .limit? = stages.last else { return false }
        let sorts = stages.contains(where: \.isOrder)
        return sorts && IndexScan(self, view) == nil
    }

    /// The first row, without evaluating more than it takes.
    package func first(in view: TreeView) -> RowHold? {
        let root = view.classRoot(classID)
        if isLookUp { return lookUp(in: root) }
        if let seek = soleFilter?.conditions.sole, let value = seek.single {
            let first = view.classView(classID).first(seek.column, equalTo: value)
            return first.flatMap { root.locate($0) }
        }
        return adding(.limit(1)).evaluate(in: view).first.flatMap { root.locate($0) }
    }

    private func distinct(
        _ rows: RowStream, _ paths: [ValuePath], _ view: TreeView,
        _ cancellation: EvaluationCancellation
    ) -> [RowKey] {
        var seen: Set<[ExactValue]> = []
        var kept: [RowKey] = []
        rows.forEachRow(view, classID, cancellation) { row in
            // Every property after a link that is nil is nil.
            let values = paths.map { path in
                ExactValue(path.distinguished(path.value(row, view) ?? .null, view))
            }
            if seen.insert(values).inserted { kept.append(row.cluster.key(row.slot)) }
            return true
        }
        return kept
    }
}
