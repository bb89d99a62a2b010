/// The estimated cost and selectivity of a condition, without statistics: it only orders
/// conditions.
struct PredicateCost: Sendable {
    /// About nanoseconds per row.
    let time: Double
    /// The share of rows for which it holds.
    let share: Double

    init(_ time: Double, _ share: Double) {
        self.time = time
        self.share = min(max(share, 0.001), 0.999)
    }

    /// The cost to eliminate one row: in a conjunction, the least comes first.
    var perRefusal: Double { time / (1 - share) }

    /// The cost to find one row: in a disjunction, the least comes first.
    var perMatch: Double { time / share }

    /// The cost of conditions in sequence, each evaluated on the rows that the earlier ones left.
    static func sequence(_ parts: [PredicateCost], whileHolding: Bool) -> PredicateCost {
        var time = 0.0
        var rest = 1.0
        for part in parts {
            time += rest * part.time
            rest *= whileHolding ? part.share : 1 - part.share
        }
        return PredicateCost(time, whileHolding ? rest : 1 - rest)
    }
}

extension RowPredicate {
    /// All of the conditions, the cheap and selective ones first. Nested ones are made one row.
    static func all(_ parts: [RowPredicate]) -> RowPredicate {
        var flat: [RowPredicate] = []
        for part in parts {
            if case .constant(let holds) = part {
                if !holds { return .constant(false) }
            } else if case .and(let inner) = part {
                flat += inner
            } else {
                flat.append(part)
            }
        }
        if flat.count < 2 { return flat.first ?? .constant(true) }
        return .and(ordered(flat, by: \.perRefusal))
    }

    /// Any of the conditions, the cheap and likely ones first. Nested ones are made one row.
    static func any(_ parts: [RowPredicate]) -> RowPredicate {
        var flat: [RowPredicate] = []
        for part in parts {
            if case .constant(let holds) = part {
                if holds { return .constant(true) }
            } else if case .or(let inner) = part {
                flat += inner
            } else {
                flat.append(part)
            }
        }
        if flat.count < 2 { return flat.first ?? .constant(false) }
        return .or(ordered(flat, by: \.perMatch))
    }

    /// Stable: conditions of equal cost keep their order.
    private static func ordered(
        _ parts: [RowPredicate], by rank: KeyPath<PredicateCost, Double>
    ) -> [RowPredicate] {
        let ranks = parts.map { $0.cost[keyPath: rank] }
        return parts.indices.sorted { (ranks[$0], $0) < (ranks[$1], $1) }.map { parts[$0] }
    }

    /// The cost of evaluating the condition for one row.
    var cost: PredicateCost {
        switch self {
        case .constant(let value): return PredicateCost(0, value ? 1 : 0)
        case .and(let parts): return .sequence(parts.map(\.cost), whileHolding: true)
        case .or(let parts): return .sequence(parts.map(\.cost), whileHolding: false)
        case .not(let part):
            let cost = part.cost
            return PredicateCost(cost.time, 1 - cost.share)
        case .leaf(let leaf): return leaf.cost
        case .linked: return PredicateCost(4, 0.3)
        case .link(_, let inner, _):
            let cost = inner.cost
            return PredicateCost(100 + cost.time, cost.share)
        case .anyLinked: return PredicateCost(150, 0.4)
        case .anyRow(_, let inner):
            let cost = inner.cost
            return PredicateCost(400 + 4 * cost.time, min(0.9, 2 * cost.share))
        case .anyElement(_, _, let test): return PredicateCost(200, test.share)
        case .anyValue(let path, let test):
            return PredicateCost(200 * Double(path.steps.count + 1), test.share)
        case .values(let left, let comparison, let right):
            let steps = left.steps.count + right.steps.count
            return PredicateCost(80 + 150 * Double(steps), comparison.share)
        case .count(let path, let comparison, _):
            return PredicateCost(150 + 300 * Double(path.steps.count), comparison.share)
        case .aggregate(let path, _, let comparison, _):
            return PredicateCost(300 + 400 * Double(path.steps.count), comparison.share)
        case .operands(let operands):
            if operands.isOfIntegers { return PredicateCost(4, operands.comparison.share) }
            let steps = operands.paths.reduce(1) { $0 + $1.steps.count }
            return PredicateCost(150 + 150 * Double(steps), operands.comparison.share)
        case .subquery(let path, _, let inner, _, _):
            return PredicateCost(600 * Double(path.steps.count) + 4 * inner.cost.time, 0.5)
        case .texts(let pair):
            let steps = pair.left.steps.count + pair.right.steps.count
            return PredicateCost(250 + 150 * Double(steps), 0.1)
        case .place: return PredicateCost(200, 0.1)
        case .behind(let position):
            return PredicateCost(position.criteria.reduce(80) { $0 + $1.time }, 0.5)
        }
    }
}

extension QueryComparison {
    /// The share of values for which a comparison is taken to hold.
    fileprivate var share: Double {
        switch self {
        case .equal: 0.05
        case .notEqual: 0.95
        case .less, .lessOrEqual, .greater, .greaterOrEqual: 0.4
        }
    }
}

extension ValueTest {
    fileprivate var share: Double {
        switch self {
        case .comparison(let comparison, _): comparison.share
        case .member(let values): min(0.5, 0.05 * Double(values.count))
        case .between: 0.25
        case .text(let matcher, let isNegated): isNegated ? 1 - matcher.share : matcher.share
        case .search: 0.02
        case .types: 0.3
        case .never: 0
        case .not(let test): 1 - test.share
        }
    }
}

extension ValueTest {
    /// Splitting a text into words takes longest.
    fileprivate var time: Double {
        switch self {
        case .search: 1000
        case .not(let test): test.time
        case .comparison, .member, .between, .text, .types, .never: 60
        }
    }
}

extension PageCriterion {
    fileprivate var time: Double {
        switch self {
        case .key(let key): 150 * Double(key.path.steps.count)
        case .relevance(let relevance):
            relevance.paths.reduce(0) { $0 + 1000 + 150 * Double($1.steps.count) }
        }
    }
}

extension TextMatcher {
    fileprivate var share: Double { kind.share }

    /// Texts that are not ASCII are folded first.
    fileprivate var time: Double { isExact ? kind.time : kind.time * 3 }
}

extension PredicateLeaf {
    fileprivate var cost: PredicateCost {
        switch self {
        case .nulls(let scan): PredicateCost(0.3, scan.isNull ? 0.2 : 0.8)
        case .booleans: PredicateCost(0.3, 0.5)
        case .integers(let scan):
            if scan.low == scan.high {
                PredicateCost(1, scan.isNegated ? 0.95 : 0.05)
            } else {
                PredicateCost(1, 0.4)
            }
        case .floats(let scan): PredicateCost(1, scan.comparison.share)
        case .doubles(let scan): PredicateCost(1, scan.comparison.share)
        case .strings(let scan): PredicateCost(4, scan.comparison.share)
        case .text(let scan):
            PredicateCost(
                scan.matcher.time, scan.isNegated ? 1 - scan.matcher.share : scan.matcher.share)
        case .values(let scan): PredicateCost(scan.test.time, scan.test.share)
        case .search(let scan):
            PredicateCost(1000 * Double(scan.texts.columns.count), 0.02)
        }
    }
}
