import Storage

extension RowPredicate {
    /// The same condition, prepared for `rows` rows of one version. Conditions on linked rows are
    /// evaluated beforehand, once for each row of their class, if that class is much smaller; the
    /// rare words of the version are determined if a page continues after a score. Paths that are
    /// walked for each row check for cancellation, if `cancellation` says so.
    func prepared(
        for rows: Int, in view: TreeView, _ cancellation: EvaluationCancellation = .ignored
    ) -> RowPredicate {
        switch self {
        case .and(let parts):
            return .and(parts.map { $0.prepared(for: rows, in: view, cancellation) })
        case .or(let parts):
            return .or(parts.map { $0.prepared(for: rows, in: view, cancellation) })
        case .not(let part): return .not(part.prepared(for: rows, in: view, cancellation))
        case .link(let hop, let inner, let matchesNil):
            if let targets = inner.targets(hop.target, for: rows, in: view, cancellation) {
                return .linked(column: hop.column, targets, matchesNil: matchesNil)
            }
            return .link(
                hop, inner.prepared(for: rows, in: view, cancellation), matchesNil: matchesNil)
        case .anyRow(let set, let inner):
            if let targets = inner.targets(set.target, for: rows, in: view, cancellation) {
                return .anyLinked(set, targets)
            }
            return .anyRow(set, inner.prepared(for: rows, in: view, cancellation))
        case .subquery(let path, let target, let inner, let comparison, let count):
            return .subquery(
                path.walked(cancellation), target,
                inner.prepared(for: rows, in: view, cancellation), comparison,
                count)
        case .behind(let position): return .behind(position.prepared(in: view, cancellation))
        case .constant, .leaf, .linked, .anyLinked, .anyElement, .anyValue, .values, .count,
            .aggregate, .operands, .texts, .place:
            return walked(cancellation)
        }
    }

    /// The same, with the paths from each row walked as far as `cancellation` allows.
    private func walked(_ cancellation: EvaluationCancellation) -> RowPredicate {
        guard cancellation.isCancellable else { return self }
        switch self {
        case .anyValue(let path, let test): return .anyValue(path.walked(cancellation), test)
        case .values(let left, let comparison, let right):
            return .values(left.walked(cancellation), comparison, right.walked(cancellation))
        case .count(let path, let comparison, let count):
            return .count(path.walked(cancellation), comparison, count)
        case .aggregate(let path, let aggregate, let comparison, let value):
            return .aggregate(path.walked(cancellation), aggregate, comparison, value)
        case .operands(let comparison): return .operands(comparison.walked(cancellation))
        case .constant, .and, .or, .not, .leaf, .link, .linked, .anyRow, .anyLinked, .anyElement,
            .subquery, .texts, .place, .behind:
            return self
        }
    }

    /// The search of an index of places that finds what meets this condition.
    private func placeSearch(_ rows: ClassView) -> IndexSearch? {
        guard case .place(let columns, let area) = self, let seek = PlaceSeek(columns, area),
            seek.isServed(rows)
        else { return nil }
        return IndexSearch(seek)
    }

    /// The number of nested collections that it traverses for each row.
    private var collectionDepth: Int {
        switch self {
        case .anyRow(_, let inner), .subquery(_, _, let inner, _, _): 1 + inner.collectionDepth
        case .and(let parts), .or(let parts): parts.lazy.map(\.collectionDepth).max() ?? 0
        case .not(let part): part.collectionDepth
        case .link(_, let inner, _): inner.collectionDepth
        case .constant, .leaf, .linked, .anyLinked, .anyElement, .anyValue, .values, .count,
            .aggregate, .operands, .texts, .place, .behind:
            0
        }
    }

    /// The rows of a class that meet this condition, if finding them is cheap compared with
    /// examining so many `rows` of another.
    private func targets(
        _ id: ClassID, for rows: Int, in view: TreeView, _ cancellation: EvaluationCancellation
    ) -> RowKeySet? {
        let targets = view.classView(id)
        let planner = QueryPlanner(total: rows)
        let search = placeSearch(targets)
        guard
            search != nil
                || planner.prefersTargetPrefilter(
                    targets: targets.count, collectionDepth: collectionDepth),
            RowKeySet.span(of: targets) / 64 <= max(rows, 1024)
        else { return nil }
        let conditions = search.map { IndexConditions($0) } ?? .unknown
        let query = ResultsQuery(all: id).adding(
            .filter(RowFilter(predicate: self, conditions: conditions)))
        var set = RowKeySet(roomFor: targets)
        set.insert(query.evaluate(in: view, cancellation))
        return set
    }
}
