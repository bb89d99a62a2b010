import Storage

extension ResultsQuery {
    /// Whether its rows come in the order of their keys, each once.
    var isAscending: Bool {
        guard case .all = source else { return false }
        return !stages.contains(where: \.isOrder)
    }

    /// The classes that decide which rows the query gives, and in which order.
    var dependencies: Set<ClassID> {
        var classes: Set<ClassID> = [classID]
        switch source {
        case .all: break
        case .collection(let owner, _, _): classes.insert(owner)
        case .backlinks(_, let origin, _): classes.insert(origin)
        }
        return classes.union(reached)
    }

    /// The classes that filters and orders reach across links.
    var reached: Set<ClassID> {
        var classes: Set<ClassID> = []
        for stage in stages {
            switch stage {
            case .filter(let filter): filter.predicate.addClasses(to: &classes)
            case .sort(let keys): for key in keys { key.addClasses(to: &classes) }
            case .distinct(let paths): for path in paths { path.addClasses(to: &classes) }
            case .rank(let relevance): relevance.addClasses(to: &classes)
            case .limit: break
            }
        }
        return classes
    }
}

extension RowPredicate {
    fileprivate func addClasses(to classes: inout Set<ClassID>) {
        switch self {
        case .and(let parts), .or(let parts):
            for part in parts { part.addClasses(to: &classes) }
        case .not(let part): part.addClasses(to: &classes)
        case .link(let hop, let inner, _):
            classes.insert(hop.target)
            inner.addClasses(to: &classes)
        case .anyRow(let rows, let inner):
            classes.insert(rows.target)
            inner.addClasses(to: &classes)
        case .anyValue(let path, _), .count(let path, _, _), .aggregate(let path, _, _, _):
            path.addClasses(to: &classes)
        case .values(let left, _, let right):
            left.addClasses(to: &classes)
            right.addClasses(to: &classes)
        case .texts(let pair):
            pair.left.addClasses(to: &classes)
            pair.right.addClasses(to: &classes)
        case .operands(let comparison):
            for path in comparison.paths { path.addClasses(to: &classes) }
        case .subquery(let path, _, let inner, _, _):
            path.addClasses(to: &classes)
            inner.addClasses(to: &classes)
        case .behind(let position):
            for criterion in position.criteria { criterion.addClasses(to: &classes) }
        // These two are made for one evaluation only, never as part of a query.
        case .linked, .anyLinked: break
        case .constant, .leaf, .anyElement, .place: break
        }
    }
}

extension PageCriterion {
    fileprivate func addClasses(to classes: inout Set<ClassID>) {
        switch self {
        case .key(let key): key.addClasses(to: &classes)
        case .relevance(let relevance): relevance.addClasses(to: &classes)
        }
    }
}

extension Relevance {
    fileprivate func addClasses(to classes: inout Set<ClassID>) {
        for path in paths { path.addClasses(to: &classes) }
    }
}

extension SortKey {
    fileprivate func addClasses(to classes: inout Set<ClassID>) {
        path.addClasses(to: &classes)
        guard case .distance = measure, case .value(_, let link) = path.end,
            let target = link.target
        else { return }
        classes.insert(target)
    }
}

extension ValuePath {
    func addClasses(to classes: inout Set<ClassID>) {
        for step in steps {
            switch step {
            case .link(let hop): classes.insert(hop.target)
            case .rows(let rows): classes.insert(rows.target)
            case .entry(_, let target): classes.insert(target)
            }
        }
        classes.formUnion(embeddedClasses)
    }
}
