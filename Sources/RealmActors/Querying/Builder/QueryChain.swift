import Storage
import Synchronization

/// A long chain of conditions that code joins one by one with `&&` or with `||`.
///
/// It is a list, from which a tree is built when the condition is needed. Rebuilding the tree for
/// each few conditions would take quadratic time.
struct QueryChain {
    /// Conditions in the order in which they were added, shared by the chains that begin with them.
    private final class Parts: Sendable {
        let conditions: Mutex<[QueryExpression]>

        init(_ conditions: [QueryExpression]) { self.conditions = Mutex(conditions) }
    }

    /// The first `count` of such conditions: another chain may have appended more since.
    private struct Prefix {
        private let parts: Parts
        let count: Int

        init(_ conditions: [QueryExpression]) {
            parts = Parts(conditions)
            count = conditions.count
        }

        private init(_ parts: Parts, _ count: Int) {
            self.parts = parts
            self.count = count
        }

        var conditions: [QueryExpression] {
            parts.conditions.withLock { Array($0.prefix(count)) }
        }

        func adding(_ condition: QueryExpression) -> Prefix {
            let isAdded = parts.conditions.withLock { known in
                if known.count != count { return false }
                known.append(condition)
                return true
            }
            return isAdded ? Prefix(parts, count + 1) : Prefix(conditions + [condition])
        }
    }

    /// Whether all conditions must hold; otherwise one.
    let isAnd: Bool
    /// The depth of the tree, apart from the levels by which the chain is balanced.
    let depth: QueryDepth
    private let back: Prefix
    /// The conditions joined before the others, in reverse order.
    private let front: Prefix?

    init(_ first: QueryExpression, isAnd: Bool, depth: QueryDepth) {
        self.init(isAnd: isAnd, depth, back: Prefix([first]), front: nil)
    }

    private init(isAnd: Bool, _ depth: QueryDepth, back: Prefix, front: Prefix?) {
        self.isAnd = isAnd
        self.depth = depth
        self.back = back
        self.front = front
    }

    /// The chain with one more condition, after the others or before them.
    func adding(
        _ condition: QueryExpression, inFront: Bool, depth: QueryDepth
    ) -> QueryChain {
        if inFront {
            let front = front?.adding(condition) ?? Prefix([condition])
            return QueryChain(isAnd: isAnd, depth, back: back, front: front)
        }
        return QueryChain(isAnd: isAnd, depth, back: back.adding(condition), front: front)
    }

    /// The conditions of this chain and those of another one of its kind after them.
    ///
    /// The shorter list is added to the longer. Adding a chain as one condition would nest chains
    /// without limit.
    func adding(_ other: QueryChain) -> QueryChain {
        let depth = depth.union(other.depth)
        if other.count > count {
            return conditions.reversed().reduce(other) {
                $0.adding($1, inFront: true, depth: depth)
            }
        }
        return other.conditions.reduce(self) { $0.adding($1, inFront: false, depth: depth) }
    }

    /// The condition, in linear time.
    var condition: QueryExpression { isAnd ? .all(conditions) : .any(conditions) }

    private var count: Int { back.count + (front?.count ?? 0) }

    private var conditions: [QueryExpression] {
        var conditions: [QueryExpression] = []
        if let front { conditions = front.conditions.reversed() }
        conditions += back.conditions
        return conditions
    }
}
