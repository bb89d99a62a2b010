import Storage

/// Describes how a query was evaluated in one version.
struct QueryExplanation {
    private let query: ResultsQuery
    private let view: TreeView
    private let names: QueryNames
    private let className: String
    private let total: Int
    private var lines: [String] = []
    private var hints: [String] = []
    /// The rows that were examined.
    private var scanned = 0
    /// The entries that were read from indexes.
    private var entries = 0

    init(_ query: ResultsQuery, _ view: TreeView, _ names: QueryNames) {
        self.query = query
        self.view = view
        self.names = names
        className = view.schema[query.classID].name
        total = view.classView(query.classID).count
    }

    /// The plan, and its outcome.
    mutating func text() -> String {
        let matched = query.evaluate(in: view)
        var stages = query.stages[...]
        if let walk = IndexScan(query, view), explain(walk) {
            stages = stages.dropFirst(walk.stageCount)
        } else {
            explainSource(&stages, matched)
        }
        for (offset, stage) in zip(stages.indices, stages) {
            let next = offset + 1 < stages.endIndex ? stages[offset + 1] : nil
            lines.append(text(stage, next))
        }
        let read = entries > 0 ? "read \(entries) index \(Self.entries(entries)), " : ""
        lines.append("\(read)scanned \(scanned) of \(total) objects, matched \(matched.count)")
        return ([title] + lines + hints).joined(separator: "\n")
    }

    /// The query itself.
    private var title: String {
        var text = "query: \(className)"
        for stage in query.stages {
            switch stage {
            case .filter(let filter): text += " WHERE \(condition(filter))"
            case .sort(let keys): text += " SORT(\(names.keys(keys, query.classID)))"
            case .rank(let relevance):
                text += " RANK(\(searched(relevance)), \(words(relevance)))"
            case .distinct(let paths): text += " DISTINCT(\(names.paths(paths, query.classID)))"
            case .limit(let count): text += " LIMIT(\(count))"
            }
        }
        return text
    }

    /// Whether objects are filtered, whatever their source.
    private var isFiltered: Bool {
        query.stages.contains { if case .filter = $0 { true } else { false } }
    }

    private func condition(_ filter: RowFilter) -> String {
        filter.expression?.description ?? "a condition"
    }

    private func searched(_ relevance: Relevance) -> String {
        names.paths(relevance.paths, query.classID)
    }

    private func words(_ relevance: Relevance) -> String {
        StoredValue.string(relevance.text).described
    }

    private static func entries(_ count: Int) -> String { count == 1 ? "entry" : "entries" }

    private static func objects(_ count: Int) -> String {
        count == 1 ? "1 object" : "\(count) objects"
    }

    // MARK: How rows are found

    /// An order that an index has; false where its walk was abandoned.
    private mutating func explain(_ walk: IndexScan) -> Bool {
        let run = walk.run()
        entries += run.visited
        let name = names.index(walk.column.rawValue, query.classID)
        let scan = "\(walk.isByPlaces ? "spatial index" : "index") scan on \(name)"
        guard run.keys != nil else {
            if run.visited > 0 {
                lines.append(
                    "sort: \(scan) abandoned after \(run.visited) \(Self.entries(run.visited)) "
                        + "(too few matches)")
            }
            return false
        }
        if run.evaluatesFilter { scanned += run.visited }
        if let composite = walk.composite {
            let part = composite.seek.map { seek in
                let parts = names.parts(walk.column.rawValue, first: seek.used, query.classID)
                return " by \(parts)"
            }
            lines.append(
                "access: \(scan)\(part ?? ""), \(walk.isAscending ? "forward" : "backward")")
        } else if walk.isByPlaces {
            lines.append("access: \(scan), nearest first")
        } else {
            lines.append("access: \(scan), \(walk.isAscending ? "ascending" : "descending")")
        }
        if run.evaluatesFilter, let filter = walk.filter {
            lines.append("filter: \(condition(filter))")
        }
        lines.append("sort: none (index order)")
        if case .limit(let count)? = query.stages[..<walk.stageCount].last {
            lines.append("limit: \(count)")
        }
        return true
    }

    /// Where the rows come from, with the filter that is part of finding them.
    private mutating func explainSource(_ stages: inout ArraySlice<RowStage>, _ matched: [RowKey]) {
        switch query.source {
        case .all: break
        case .collection(let owner, _, let column):
            let count = ResultsQuery(source: query.source, classID: query.classID).count(in: view)
            scanned = count
            lines.append(
                "access: collection scan on \(names.column(column.rawValue, owner)) of one "
                    + "\(view.schema[owner].name) (\(Self.objects(count)))")
            return
        case .backlinks(let target, let origin, let column):
            let count = view.backlinks(to: target, origin: origin, column: column).count
            entries = count
            if isFiltered { scanned = count }
            lines.append(
                "access: backlink seek on \(names.column(column.rawValue, origin)) from one object "
                    + "(\(Self.objects(count)))")
            return
        }
        guard case .filter(let filter)? = stages.first else {
            explainWholeClass(stages.first)
            return
        }
        stages.removeFirst()
        var limit = Int.max
        if case .limit(let count)? = stages.first { limit = count }
        if let found = filter.indexed(view, query.classID, limit: limit) {
            explain(found, filter)
        } else {
            explainScan(filter, limit, matched)
        }
    }

    private mutating func explainWholeClass(_ next: RowStage?) {
        switch next {
        case nil: lines.append("access: all objects in creation order, keys only")
        case .limit(let count)?:
            scanned += min(count, total)
            lines.append("access: full scan in creation order")
        case .filter?, .sort?, .rank?, .distinct?:
            scanned += total
            lines.append("access: full scan in creation order")
        }
    }

    private mutating func explain(_ found: IndexRuns, _ filter: RowFilter) {
        let count = found.count
        entries += count
        let column = found.column.rawValue
        let name = names.index(column, query.classID)
        let part =
            found.parts == 0
            ? "" : " by \(names.parts(column, first: found.parts, query.classID))"
        let start = found.isByPlaces ? "the spatial index" : "matching targets"
        let selected = "(\(count) of \(total) objects)"
        lines.append(
            found.isBacklinks
                ? "access: backlink seek on \(name) from \(start) \(selected)"
                : "access: index seek on \(name)\(part) \(selected)")
        if !found.isExact {
            scanned += count
            lines.append("filter: \(condition(filter))")
        }
    }

    private mutating func explainScan(_ filter: RowFilter, _ limit: Int, _ matched: [RowKey]) {
        var visited = total
        if limit == 0 {
            visited = 0
        } else if matched.count == limit, let last = matched.last, query.stages.count == 2,
            let position = view.classView(query.classID).position(of: last)
        {
            visited = position + 1
        }
        scanned += visited
        let planner = QueryPlanner(total: total, limit: limit)
        let candidates = filter.conditions.candidates(view, query.classID, planner)
        let best = candidates.min { $0.count < $1.count }
        let reason =
            best.map {
                "index on \(names.index($0.column.rawValue, query.classID)) selects "
                    + "\($0.count) of \(total) objects"
            } ?? "no usable index"
        lines.append("access: full scan (\(reason))")
        lines.append("filter: \(condition(filter))")
        if visited == total {
            hints += IndexAdvice(query.classID, view, names).hints(for: filter)
        }
    }

    // MARK: What is done to them

    private func text(_ stage: RowStage, _ next: RowStage?) -> String {
        switch stage {
        case .filter(let filter): return "filter: \(condition(filter))"
        case .sort(let keys):
            let order = names.keys(keys, query.classID)
            if case .limit(let count)? = next {
                return "sort: by \(order) (top-k, k = \(count))"
            }
            return "sort: by \(order)"
        case .rank(let relevance):
            return "sort: by relevance of \(searched(relevance)) to \(words(relevance)) "
                + "(BM25, reads the texts of each object)"
        case .distinct(let paths):
            return "distinct: first object per \(names.paths(paths, query.classID))"
        case .limit(let count): return "limit: \(count)"
        }
    }
}
