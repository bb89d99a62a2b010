/// The depth of conditions that code joins. It is bounded, because functions on conditions recurse
/// for each level.
struct QueryDepth {
    /// The number of conditions that were joined one by one to a balanced tree.
    var chain = 0
    /// The nesting depth of conditions of different kinds.
    var nesting = 1

    static let chainMax = 64
    static let nestingMax = 32

    static let refusal = RealmError.invalidQuery(
        message: "The conditions of a query nest more than \(nestingMax) levels deep. "
            + "Combine conditions of one kind, or test for one of several values with `in`.",
        position: nil)

    /// Whether the depth is within the limit.
    var isAllowed: Bool { nesting <= Self.nestingMax }

    /// The depth of a condition of another kind around this one.
    func within() -> QueryDepth { QueryDepth(chain: chain + 1, nesting: nesting + 1) }

    /// The depth of a tree that both of these are parts of.
    func union(_ other: QueryDepth) -> QueryDepth {
        QueryDepth(chain: max(chain, other.chain), nesting: max(nesting, other.nesting))
    }

    /// The depth of the only condition within this one.
    var unwrapped: QueryDepth { QueryDepth(chain: max(0, chain - 1), nesting: max(1, nesting - 1)) }
}

extension QueryExpression {
    /// The nesting depth of conditions of different kinds.
    var nesting: Int {
        switch junction {
        case .and?: 1 + (conjuncts.lazy.map(\.nesting).max() ?? 0)
        case .or?: 1 + (disjuncts.lazy.map(\.nesting).max() ?? 0)
        case nil: 1 + (inner?.nesting ?? 0)
        }
    }

    /// The same condition as a balanced tree.
    var balanced: QueryExpression {
        switch junction {
        case .and?: .all(conjuncts.map(\.balanced))
        case .or?: .any(disjuncts.map(\.balanced))
        case nil: if case .not(let inner) = self { .not(inner.balanced) } else { self }
        }
    }

    /// Whether it is a conjunction, or, if `isAnd` is false, a disjunction.
    func isChain(ofAnd isAnd: Bool) -> Bool {
        switch junction {
        case .and?: isAnd
        case .or?: !isAnd
        case nil: false
        }
    }
}
