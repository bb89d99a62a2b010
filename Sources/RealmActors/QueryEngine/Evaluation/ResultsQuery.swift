package import Storage

/// The query of a collection of results: the source of its rows, and the stages that are applied to
/// them.
///
/// It belongs to no version: evaluated against a view, it gives the rows of that version.
package struct ResultsQuery: Sendable {
    package let source: RowSource
    /// The class of the rows.
    package let classID: ClassID
    private var work: Work

    private enum Work: Sendable {
        case stages([RowStage])
        /// The form of most look-ups: one filter, without allocating a list of stages.
        case equality(IndexedEquality)
        case page(PageWork)
    }

    package init(source: RowSource, classID: ClassID, stages: [RowStage] = []) {
        self.init(source: source, classID: classID, work: .stages(stages))
    }

    private init(source: RowSource, classID: ClassID, work: consuming Work) {
        self.source = source
        self.classID = classID
        self.work = work
    }

    /// The stages, in the order in which they are applied to the rows.
    package private(set) var stages: [RowStage] {
        get {
            switch work {
            case .stages(let stages): stages
            case .equality(let equality): [.filter(RowFilter(equality))]
            case .page(let page): page.stages
            }
        }
        set { work = .stages(newValue) }
    }

    /// The filter, where it is the only stage, of a whole class.
    var soleFilter: RowFilter? {
        guard case .all = source else { return nil }
        switch work {
        case .equality(let equality): return RowFilter(equality)
        case .stages(let stages):
            guard stages.count == 1, case .filter(let filter) = stages[0] else { return nil }
            return filter
        case .page: return nil
        }
    }

    /// Whether one look-up of values in an index answers it.
    var isLookUp: Bool { if case .equality = work { true } else { false } }

    /// The first row that a look-up finds.
    func lookUp(in root: ClassRoot) -> RowHold? {
        if case .equality(let equality) = work { equality.first(in: root) } else { nil }
    }

    /// The rows that a look-up finds; nil when it is none.
    func lookedUp(in view: TreeView) -> MatchedRows? {
        if case .equality(let equality) = work { return equality.rows(in: view.classRoot(classID)) }
        guard case .page(let page) = work else { return nil }
        return page.lookedUp(in: view.classView(classID)).map { MatchedRows($0) }
    }

    /// The number of rows that a look-up finds; nil if the query is not a look-up.
    func lookedUpCount(in view: TreeView) -> Int? {
        guard case .equality(let equality) = work else { return nil }
        return equality.count(in: view.classRoot(classID))
    }

    /// All rows of a class.
    package init(all classID: ClassID) { self.init(source: .all, classID: classID) }

    /// The query with one more stage.
    ///
    /// A filter moves before orders, with which it commutes, and joins the filter it meets there; a
    /// sort joins the sort before it, whose order then breaks ties.
    package func adding(_ stage: consuming RowStage) -> ResultsQuery {
        if stages.isEmpty {
            return ResultsQuery(source: source, classID: classID, stages: [stage])
        }
        var query = self
        let last = query.stages.removeLast()
        if case .filter = stage, last.isOrder {
            query = query.adding(stage)
            query.stages.append(last)
        } else if let joined = last.joined(by: stage) {
            query.stages.append(joined)
        } else {
            query.stages += [last, stage]
        }
        return query
    }

    /// The query for those of the rows that have the value.
    func adding(_ equality: consuming IndexedEquality) -> ResultsQuery {
        guard isWholeClass else { return adding(.filter(RowFilter(equality))) }
        return ResultsQuery(source: source, classID: classID, work: .equality(equality))
    }

    /// The query for the first of the rows after a position.
    func page(behind position: PagePosition?, limit: Int) -> ResultsQuery {
        let page = PageWork(of: self, behind: position, limit: limit)
        return ResultsQuery(source: source, classID: classID, work: .page(page))
    }

    /// A page as its stages, which are made once instead of on each access; nil when it is none.
    var unfolded: ResultsQuery? {
        guard case .page(let page) = work else { return nil }
        return ResultsQuery(source: source, classID: classID, stages: page.stages)
    }

    /// The query of the same form that has no rows in any version: the realm of its results was
    /// invalidated, or the object is gone whose collection, or whose inverse, they were.
    var withoutRows: ResultsQuery {
        switch source {
        case .all:
            return adding(.limit(0))
        case .collection(let owner, _, let column):
            let gone = RowSource.collection(owner: owner, RowSource.goneOwner, column)
            return ResultsQuery(source: gone, classID: classID, work: work)
        case .backlinks(_, let origin, let column):
            let gone = RowSource.backlinks(to: RowSource.goneOwner, origin: origin, column)
            return ResultsQuery(source: gone, classID: classID, work: work)
        }
    }

    /// Whether it represents a whole class in the order of creation.
    package var isWholeClass: Bool {
        if case .all = source, case .stages(let stages) = work { return stages.isEmpty }
        return false
    }

    /// The query without its last stage.
    package var droppingLast: ResultsQuery {
        var query = self
        query.stages.removeLast()
        return query
    }

    /// The stages without orders that no limit or distinct follows: for counts and aggregates.
    package var unordered: ResultsQuery {
        var query = self
        while let last = query.stages.last, last.isOrder { query = query.droppingLast }
        return query
    }
}

/// Where rows come from.
package enum RowSource: Sendable, Hashable {
    /// The class, in the order of creation.
    case all
    /// The elements of a list or set of links.
    case collection(owner: ClassID, RowKey, ColumnID)
    /// The rows that link to one, once for each link.
    case backlinks(to: RowKey, origin: ClassID, ColumnID)

    /// Stands for the row of an owner that is gone, since another object may have got its key: no
    /// row has this one.
    static let goneOwner = RowKey(-1)

    /// The row of the object whose collection, or whose inverse, this is; nil for a whole class.
    func owner(in schema: StoreSchema) -> (classID: ClassID, key: RowKey)? {
        switch self {
        case .all: nil
        case .collection(let owner, let key, _): (owner, key)
        case .backlinks(let key, let origin, let column):
            schema[origin].columns[column.rawValue].target.map { (classID: $0, key: key) }
        }
    }
}

/// A stage that is applied to rows.
package enum RowStage: Sendable {
    case filter(RowFilter)
    /// The first key decides, the others break ties.
    case sort([SortKey])
    /// By how well texts match a search, as a stable sort.
    case rank(Relevance)
    /// Keeps the first row for each combination of values.
    case distinct([ValuePath])
    case limit(Int)

    /// Whether it only orders the rows.
    var isOrder: Bool {
        switch self {
        case .sort, .rank: true
        case .filter, .distinct, .limit: false
        }
    }

    /// The one stage that does what this and then `next` do; nil where there is none.
    fileprivate func joined(by next: RowStage) -> RowStage? {
        switch self {
        case .filter(let present):
            guard case .filter(let added) = next else { return nil }
            return .filter(present.and(added))
        case .sort(let present):
            guard case .sort(let added) = next else { return nil }
            let subjects = Set(added.map(\.subject))
            return .sort(added + present.filter { !subjects.contains($0.subject) })
        case .limit(let present):
            guard case .limit(let added) = next else { return nil }
            return .limit(min(added, present))
        case .rank, .distinct: return nil
        }
    }
}
