package import Storage

/// A condition on the row that a link leads to. Rows are found backwards, from the rows that meet
/// the condition to those that link to them.
package struct LinkSeek: Sendable {
    /// The rows that a link must lead to.
    package indirect enum Targets: Sendable {
        case row(RowKey)
        case matching(RowFilter)
    }

    /// The link, or the collection of links.
    package let column: ColumnID
    package let target: ClassID
    package let targets: Targets
    /// Whether a row links no more than once.
    let isSingle: Bool

    /// The condition on the rows that the first link of its path leads to; nil when there is none.
    init?(_ expression: QueryExpression, schema: any QuerySchema, classID: ClassID) {
        guard let path = expression.linkedPath, let name = path.steps.first,
            case .column(let id)? = schema.property(name, of: classID)
        else { return nil }
        let link = schema.store[classID].columns[id.rawValue]
        guard link.kind == .link, let target = link.target else { return nil }
        column = id
        self.target = target
        isSingle = link.container == .none
        if path.steps.count == 1, !expression.isOfObject {
            guard case .row(_, let row, isEqual: true) = expression,
                schema.mayHave(row), path.elements.isEmpty
            else { return nil }
            targets = .row(row.key)
            return
        }
        guard path.elements.allSatisfy({ $0.depth > 1 }),
            let predicate = try? PredicateBinding(schema: schema, classID: classID).bind(expression)
        else { return nil }
        let inner: RowPredicate
        // Rows without a link cannot be found from the other end.
        if case .link(_, let condition, matchesNil: false) = predicate {
            inner = condition
        } else if case .anyRow(.elements, let condition) = predicate {
            inner = condition
        } else {
            return nil
        }
        guard let rest = expression.behindLink else { return nil }
        targets = .matching(
            RowFilter(
                predicate: inner,
                conditions: IndexConditions(rest, schema: schema, classID: target)))
    }

    /// The rows that link to the targets; nil if finding them takes too long.
    func runs(_ view: TreeView, _ origin: ClassID, _ planner: QueryPlanner) -> IndexRuns? {
        let keys: [RowKey]
        var isByPlaces = false
        switch targets {
        case .row(let key): keys = [key]
        case .matching(let filter):
            let found = filter.indexed(view, target)
            if let found, found.isExact {
                guard planner.prefersBacklinkSeek(found: found.count) else { return nil }
                keys = found.keys()
                isByPlaces =
                    view.schema[target].columns[found.column.rawValue].parts.isOfPlaces
            } else {
                let isCheap =
                    planner.isSmall(targets: view.classView(target).count)
                    || found.map { planner.prefersBacklinkSeek(found: $0.count) } ?? false
                guard isCheap else { return nil }
                keys = ResultsQuery(all: target).adding(.filter(filter)).evaluate(in: view)
            }
            guard planner.prefersBacklinkSeek(found: keys.count) else { return nil }
        }
        let runs = keys.map { view.backlinks(to: $0, origin: origin, column: column) }
        var found = IndexRuns(
            column: column, runs: runs.filter { $0.count > 0 },
            mayRepeat: !isSingle, isBacklinks: true)
        found.isByPlaces = isByPlaces
        return found
    }
}

extension QueryExpression {
    /// Whether it is a condition on the object that a link leads to: on its place, or on the object
    /// as a whole.
    fileprivate var isOfObject: Bool {
        switch self {
        case .geoWithin, .subquery: true
        case .constant, .and, .or, .not, .comparison, .columns, .row, .member, .between, .text,
            .bytes, .texts, .count, .aggregate, .operands, .fullText, .refused:
            false
        }
    }

    /// The path of a condition that holds if any of its values meets it; nil for any other.
    fileprivate var linkedPath: QueryPath? {
        let path: QueryPath?
        if case .subquery(let objects, _, .greater, 0) = self {
            path = objects
        } else {
            path = testedPath
        }
        return path.flatMap {
            $0.quantifier == .unspecified || $0.quantifier == .any ? $0 : nil
        }
    }

    /// The same condition on the object that the first link of its path leads to.
    fileprivate var behindLink: QueryExpression? {
        if case .subquery(let path?, let condition, _, _) = self, path.steps.count == 1 {
            return condition
        }
        return try? mapPaths { $0.dropping(1) }
    }
}
