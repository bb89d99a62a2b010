package import Storage

/// The conditions of a query that the indexes of its class can answer.
///
/// Every row that matches meets all of the seeks. They belong to no version: the best of them is
/// chosen by the number of rows that each has in the version that is evaluated.
package struct IndexConditions: Sendable {
    /// At most one per property, also of properties that only an index of several has.
    package private(set) var seeks: [IndexSeek]
    /// Conditions on rows that links lead to.
    package private(set) var links: [LinkSeek]
    /// Conditions on texts with a full-text index, and on places with an index.
    private(set) var searches: [IndexSearch]
    /// Where a page begins: only rows after it match.
    private(set) var position: PagePosition?
    /// Whether every row that meets all of the seeks matches, if it follows the position.
    private var isExactBehindPosition: Bool

    /// Whether every row that meets all of the seeks matches.
    package var isExact: Bool { isExactBehindPosition && position == nil }

    /// No index conditions.
    package static var unknown: IndexConditions { IndexConditions(seeks: [], isExact: false) }

    private init(
        seeks: [IndexSeek], links: [LinkSeek] = [], searches: [IndexSearch] = [],
        isExact: Bool
    ) {
        self.seeks = seeks
        self.links = links
        self.searches = searches
        isExactBehindPosition = isExact
    }

    /// The conditions of the rows after a position, all of which meet `seek`.
    init(behind position: PagePosition, _ seek: IndexSeek) {
        self.init(seeks: [seek], isExact: true)
        self.position = position
    }

    /// The condition of an exact search.
    init(_ search: IndexSearch) { self.init(seeks: [], searches: [search], isExact: true) }

    /// The conditions of an equality.
    init(_ equality: IndexedEquality) { self.init(seeks: equality.seeks, isExact: true) }

    /// The conditions of an expression.
    package init(_ expression: QueryExpression, schema: any QuerySchema, classID: ClassID) {
        let binding = IndexBinding(schema: schema, classID: classID)
        if case .constant(true) = expression {
            self.init(seeks: [], isExact: true)
            return
        }
        switch expression.junction {
        case .and?:
            // Each is added in place: copying the lists of a long chain takes quadratic time.
            self.init(seeks: [], isExact: true)
            for part in expression.conjuncts {
                require(IndexConditions(part, schema: schema, classID: classID))
            }
        case .or?:
            self.init(
                anyOf: expression.disjuncts.lazy.map {
                    IndexConditions($0, schema: schema, classID: classID)
                })
        case nil:
            if let seek = binding.seek(expression) {
                self.init(seeks: [seek], isExact: true)
            } else if let search = IndexSearch(expression, schema: schema, classID: classID) {
                self.init(search)
            } else if let link = LinkSeek(expression, schema: schema, classID: classID) {
                self.init(seeks: [], links: [link], isExact: true)
            } else {
                self = .unknown
            }
        }
    }

    func and(_ other: IndexConditions) -> IndexConditions {
        var both = self
        both.require(other)
        return both
    }

    private mutating func require(_ other: IndexConditions) {
        isExactBehindPosition =
            isExactBehindPosition && other.isExactBehindPosition
            && (position == nil || other.position == nil)
        position = position ?? other.position
        links += other.links
        searches += other.searches
        for seek in other.seeks {
            if let index = seeks.firstIndex(where: {
                $0.column == seek.column && $0.isCollated == seek.isCollated
            }) {
                seeks[index].require(seek)
            } else {
                seeks.append(seek)
            }
        }
    }

    /// Rows that match one of several conditions can be sought where all are on the same property,
    /// or all search in texts or places.
    private init(anyOf parts: some Sequence<IndexConditions>) {
        let parts = Array(parts)
        if !parts.isEmpty, parts.allSatisfy({ !$0.searches.isEmpty }) {
            let search = IndexSearch(anyOf: parts.map { $0.searches[0] })
            let isExact = parts.allSatisfy { $0.isExact && $0.isSingle }
            self.init(seeks: [], searches: [search], isExact: isExact)
            return
        }
        var either: [ColumnID: [IndexInterval]] = [:]
        var columns: [ColumnID] = []
        var indexed: Set<ColumnID> = []
        var isExact = true
        for (index, part) in parts.enumerated() {
            var unions: [ColumnID: [IndexInterval]] = [:]
            for seek in part.seeks {
                unions[seek.column] = seek.union
                if seek.hasIndex { indexed.insert(seek.column) }
            }
            if index == 0 { columns = part.seeks.map(\.column) }
            columns.removeAll { unions[$0] == nil }
            if columns.isEmpty {
                self = .unknown
                return
            }
            for column in columns { either[column, default: []] += unions[column] ?? [] }
            isExact = isExact && part.isExact && part.isSingle
        }
        self.init(
            seeks: columns.map {
                IndexSeek($0, either[$0] ?? [], hasIndex: indexed.contains($0))
            },
            isExact: isExact && columns.count == 1)
    }

    /// Whether one seek is all that is known.
    private var isSingle: Bool { seeks.count + links.count + searches.count == 1 }

    /// The only seek, when the rows that it finds are all that match and no others.
    var sole: IndexSeek? {
        isExact && isSingle ? seeks.first.flatMap { $0.hasIndex ? $0 : nil } : nil
    }

    /// The runs of value indexes, those of several properties first.
    private func found(_ view: ClassView) -> [IndexRuns] {
        var found: [IndexRuns] = []
        for index in seeks.isEmpty ? [] : view.classSchema.composites {
            guard let seek = CompositeSeek(index, view, seeks), seek.isOfUse else { continue }
            var runs = seek.runs(view)
            runs.isExact = isExact && seek.meetsAll && links.isEmpty && searches.isEmpty
            found.append(runs)
        }
        for seek in seeks where seek.hasIndex {
            var runs = seek.runs(view)
            runs.isExact = isExact && isSingle
            found.append(runs)
        }
        return found
    }

    /// The runs of the index with the fewest rows; nil without any index.
    package func best(_ view: ClassView) -> IndexRuns? {
        found(view).min { ($0.count, $0.isExact ? 0 : 1) < ($1.count, $1.isExact ? 0 : 1) }
    }

    /// Everything that indexes find which may be worth listing. Rows that linked ones lead to are
    /// sought only where no index of values serves.
    func candidates(_ view: TreeView, _ classID: ClassID, _ planner: QueryPlanner) -> [IndexRuns] {
        let rows = view.classView(classID)
        var found = found(rows)
        for search in searches {
            guard var runs = search.runs(rows) else { continue }
            runs.isExact = runs.isExact && isExact && isSingle
            found.append(runs)
        }
        if !found.contains(where: { planner.isWorthwhile($0.candidate) }) {
            for link in links {
                guard var runs = link.runs(view, classID, planner) else { continue }
                runs.isExact = isExact && isSingle
                found.append(runs)
            }
        }
        return found
    }

    /// The entries to walk in the order of a composite index; nil if the query has no condition on
    /// its first properties.
    func runs(_ order: CompositeOrder, _ view: ClassView) -> IndexRuns? {
        guard let seek = order.seek else { return nil }
        let runs = seek.runs(view)
        let meetsAll = seek.meetsAll && links.isEmpty && searches.isEmpty
        return behindPosition(runs, ascending: order.isForward, meetsAll: meetsAll) {
            order.ranks(of: $0, view)
        }
    }

    /// The entries of the index of `column` for a walk in that direction; nil if the query has no
    /// condition on it.
    func runs(_ column: ColumnID, _ view: ClassView, ascending: Bool) -> IndexRuns? {
        guard let seek = seeks.first(where: { $0.column == column && $0.hasIndex }) else {
            return nil
        }
        return behindPosition(seek.runs(view), ascending: ascending, meetsAll: isSingle) {
            $0.ranks(column, view, ascending: ascending)
        }
    }

    /// The entries of an order after the position; all if there is none, or `ranks` does not find
    /// it in the index.
    private func behindPosition(
        _ runs: IndexRuns, ascending: Bool, meetsAll: Bool,
        _ ranks: (PagePosition) -> EntryRanks?
    ) -> IndexRuns {
        var runs = runs
        if let position {
            guard let ranks = ranks(position) else { return runs }
            runs = runs.behind(ranks, ascending: ascending)
        }
        runs.isExact = isExactBehindPosition && meetsAll
        return runs
    }
}

extension IndexRuns {
    /// The entries after a row, in a walk in that direction.
    func behind(_ ranks: EntryRanks, ascending: Bool) -> IndexRuns {
        let rest = runs.flatMap { run in
            // In the reverse order, too, rows that are equal come in the order of their creation.
            let ranges =
                ascending
                ? [ranks.next..<Int.max]
                : [0..<ranks.equal.lowerBound, ranks.next..<ranks.equal.upperBound]
            return ranges.map { run.with(ranks: run.ranks.clamped(to: $0)) }
        }
        var behind = IndexRuns(column: column, runs: rest.filter { $0.count > 0 })
        behind.parts = parts
        return behind
    }
}
