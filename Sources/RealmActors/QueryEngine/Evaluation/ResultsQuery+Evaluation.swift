package import Storage

extension ResultsQuery {
    /// The rows in the given version; fewer of them where `pace` is over at the end.
    package func evaluate(
        in view: TreeView, _ pace: EvaluationPace = .untilDone
    ) -> [RowKey] {
        let stages = stages
        var rows: RowStream
        var index = 0
        if let walk = IndexWalk(self, view, pace), let keys = walk.keys() {
            rows = .keys(keys)
            index = walk.stageCount
        } else {
            rows = RowStream(self, view, pace)
            // The scan has applied a filter that comes first already.
            if case .all = source, case .filter? = stages.first { index = 1 }
        }
        while index < stages.count, !pace.isOver {
            switch stages[index] {
            case .filter(let filter): rows = rows.filtered(filter, classID, view, pace)
            case .sort(let keys):
                var limit: Int?
                if index + 1 < stages.count, case .limit(let count) = stages[index + 1] {
                    limit = count
                }
                let sorter = RowSorter(
                    keys: keys, view: view, classID: classID, pace: pace)
                rows = .keys(sorter.sort(rows, limit: limit))
            case .distinct(let paths): rows = .keys(distinct(rows, paths, view, pace))
            case .limit(let count): rows = .keys(rows.prefix(count, view, classID))
            }
            index += 1
        }
        return rows.allKeys(view, classID, pace)
    }

    /// The number of rows in the given version.
    package func count(in view: TreeView) -> Int {
        countWithoutKeys(in: view) ?? evaluate(in: view).count
    }

    /// The number of rows where that takes less work than a list of them; nil where it does not.
    ///
    /// - Parameter scans: Whether rows may be looked at, rather than trees and indexes only.
    func countWithoutKeys(in view: TreeView, scans: Bool = true) -> Int? {
        if isWholeClass { return view.classView(classID).count }
        if let filter = soleFilter { return count(filter, view, scans: scans) }
        switch stages.last {
        case .sort?:
            let query = droppingLast
            if let count = query.countWithoutKeys(in: view, scans: scans) { return count }
            return scans ? query.evaluate(in: view).count : nil
        case .limit(let limit)?:
            return droppingLast.countWithoutKeys(in: view, scans: false).map { min($0, limit) }
        default: return nil
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

    /// Whether every row is looked at to find out which come first, of which a limit keeps some:
    /// finding one of them takes as long as finding all.
    func sortsAllForSome(in view: TreeView) -> Bool {
        let stages = stages
        guard stages.count > 1, case .limit? = stages.last else { return false }
        let sorts = stages.contains { if case .sort = $0 { true } else { false } }
        return sorts && IndexWalk(self, view) == nil
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
        _ rows: RowStream, _ paths: [ValuePath], _ view: TreeView, _ pace: EvaluationPace
    ) -> [RowKey] {
        var seen: Set<[ExactValue?]> = []
        var kept: [RowKey] = []
        rows.forEachRow(view, classID, pace) { row in
            if seen.insert(paths.map { $0.value(row, view).map { ExactValue($0) } }).inserted {
                kept.append(row.cluster.key(row.slot))
            }
            return true
        }
        return kept
    }
}

/// Rows on their way through the stages: still a scan over clusters, or a list of keys.
package enum RowStream {
    case clusters(RowPredicate)
    case keys([RowKey])

    /// What the source gives, with the first filter where that is part of the scan.
    init(_ query: ResultsQuery, _ view: TreeView, _ pace: EvaluationPace = .untilDone) {
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
                    self = runs.isExact ? keys : keys.filtered(filter, query.classID, view, pace)
                } else {
                    self = .clusters(filter.scanned(view, query.classID, pace))
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
        _ pace: EvaluationPace = .untilDone
    ) -> RowStream {
        switch self {
        case .clusters(let predicate):
            return .clusters(.and([predicate, filter.predicate]))
        case .keys(let keys):
            let rows = view.classView(classID)
            let predicate = filter.predicate.prepared(for: keys.count, in: view, pace)
            return .keys(RowStream.filtered(keys, predicate, rows, view, pace))
        }
    }

    /// The rows that match, in their order. Neighbours in one cluster are looked at together.
    private static func filtered(
        _ keys: [RowKey], _ predicate: RowPredicate, _ rows: ClassView, _ view: TreeView,
        _ pace: EvaluationPace
    ) -> [RowKey] {
        var pace = pace
        var cursor = RowCursor(rows)
        var kept: [RowKey] = []
        var cluster: Cluster?
        var mask = ClusterMask()
        var last = -1
        func finish() {
            guard let cluster else { return }
            predicate.narrow(&mask, cluster, view)
            mask.forEach { slot in
                kept.append(cluster.key(slot))
                return true
            }
        }
        for key in keys {
            // Before the cursor leaves the cluster, which is valid no longer then.
            if !cursor.isBeside(key) {
                if pace.endsHere() { return kept }
                finish()
                cluster = nil
            }
            guard let row = cursor.locate(key) else { continue }
            if cluster == nil || row.slot <= last {
                finish()
                cluster = row.cluster
                mask = ClusterMask()
            }
            mask.insert(row.slot)
            last = row.slot
        }
        finish()
        return kept
    }

    /// Visits the clusters of a scan with their matching rows, until `body` returns false.
    @inline(__always)
    func forEachMask(
        _ view: TreeView, _ classID: ClassID, _ pace: EvaluationPace = .untilDone,
        _ body: (Cluster, ClusterMask) -> Bool
    ) {
        guard case .clusters(let predicate) = self else { return }
        var pace = pace
        var clusters = view.classView(classID).makeClusterIterator()
        while let cluster = clusters.next(), !pace.endsHere() {
            var mask = ClusterMask(live: cluster)
            predicate.narrow(&mask, cluster, view)
            if !mask.isEmpty, !body(cluster, mask) { return }
        }
    }

    /// Visits the rows in order, until `body` returns false.
    @inline(__always)
    func forEachRow(
        _ view: TreeView, _ classID: ClassID, _ pace: EvaluationPace = .untilDone,
        _ body: (RowLocation) -> Bool
    ) {
        switch self {
        case .clusters:
            forEachMask(view, classID, pace) { cluster, mask in
                mask.forEach { body(RowLocation(cluster: cluster, slot: $0)) }
            }
        case .keys(let keys):
            var cursor = RowCursor(view.classView(classID))
            for key in keys {
                if let row = cursor.locate(key), !body(row) { return }
            }
        }
    }

    func allKeys(
        _ view: TreeView, _ classID: ClassID, _ pace: EvaluationPace = .untilDone
    ) -> [RowKey] {
        if case .keys(let keys) = self { return keys }
        var keys: [RowKey] = []
        forEachMask(view, classID, pace) { cluster, mask in
            mask.forEach { slot in
                keys.append(cluster.key(slot))
                return true
            }
        }
        return keys
    }

    func prefix(_ count: Int, _ view: TreeView, _ classID: ClassID) -> [RowKey] {
        guard count > 0 else { return [] }
        if case .keys(let keys) = self { return Array(keys.prefix(count)) }
        var kept: [RowKey] = []
        forEachRow(view, classID) { row in
            kept.append(row.cluster.key(row.slot))
            return kept.count < count
        }
        return kept
    }
}
