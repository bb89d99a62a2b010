import Storage

/// The property whose index would serve a query that examines every object.
struct IndexAdvice {
    private let classID: ClassID
    private let view: TreeView
    private let names: QueryNames

    /// In smaller classes it makes no noticeable difference.
    private static let totalMin = 1000

    init(_ classID: ClassID, _ view: TreeView, _ names: QueryNames) {
        self.classID = classID
        self.view = view
        self.names = names
    }

    /// Advice on the condition that leaves the fewest objects, if an index of it would be used.
    func hints(for filter: RowFilter) -> [String] {
        let total = view.classView(classID).count
        guard total >= Self.totalMin else { return [] }
        let conditions = filter.expression?.conjuncts ?? []
        let planner = QueryPlanner(total: total)
        var best: (rows: Int, hint: String)?
        for condition in conditions {
            guard let place = place(of: condition) else { continue }
            let rows = count(condition)
            let candidate = QueryPlanner.Candidate(rows: rows, isExact: conditions.count == 1)
            guard planner.isWorthwhile(candidate), best.map({ rows < $0.rows }) ?? true
            else { continue }
            best = (
                rows,
                "hint: declare \(place) as @Persisted(indexed: true) "
                    + "(\(condition) selects \(rows) of \(total) objects)"
            )
        }
        return best.map { [$0.hint] } ?? []
    }

    private func count(_ condition: QueryExpression) -> Int {
        guard let filter = try? names.schema.bind(condition, in: classID) else { return .max }
        return ResultsQuery(all: classID).adding(.filter(filter)).count(in: view)
    }

    /// The property that a condition is on, where it has no index but could have one that evaluates
    /// it.
    private func place(of condition: QueryExpression) -> String? {
        guard let path = condition.soughtPath, path.elements.isEmpty, let last = path.steps.last,
            path.quantifier == .unspecified || path.quantifier == .any
        else { return nil }
        var current = classID
        for name in path.steps.dropLast() {
            guard case .column(let id)? = names.schema.property(name, of: current),
                let target = names.schema.store[current].columns[id.rawValue].target
            else { return nil }
            current = target
        }
        guard case .column(let id)? = names.schema.property(last, of: current) else { return nil }
        let schema = names.schema.store[current]
        let column = schema.columns[id.rawValue]
        // A property has an index of its values or one of its words.
        guard !column.hasValueIndex, !column.isFullText, column.container == .none,
            column.kind.traits.isWorthIndexing
        else { return nil }
        guard current != classID else { return last }
        // Objects that links lead to are found by their index where they are few.
        let planner = QueryPlanner(total: view.classView(classID).count)
        let isBeyond = view.classView(current).count > 0 && path.steps.count == 2
        guard isBeyond, !planner.isSmall(targets: view.classView(current).count) else {
            return nil
        }
        return "\(last) of \(schema.name)"
    }
}
