import Storage

/// Floats, doubles or dates of a column against a constant, by the rules of IEEE 754: nothing
/// compares with NaN, and everything differs from it.
package struct FloatingScan<Value: BinaryFloatingPoint & BitwiseCopyable & Sendable>: Sendable {
    let column: Int
    let comparison: QueryComparison
    let constant: Value
    let isNullable: Bool

    /// `values` are those of the column's chunk; without one every value is zero.
    @inline(__always)
    func narrow(_ mask: inout ClusterMask, _ cluster: Cluster, _ values: UnsafePointer<Value>?) {
        let matchesNull = comparison == .notEqual
        mask.narrow(nullable: isNullable, matchesNull: matchesNull, column, cluster) { mask in
            guard let values else {
                if !holds(0) { mask.clear() }
                return
            }
            // Unsafe: a chunk holds at least as many values as its cluster has slots.
            let count = cluster.slotCount
            let constant = constant
            switch comparison {
            case .equal: mask.scan(count: count) { values[$0] == constant }
            case .notEqual: mask.scan(count: count) { values[$0] != constant }
            case .less: mask.scan(count: count) { values[$0] < constant }
            case .lessOrEqual: mask.scan(count: count) { values[$0] <= constant }
            case .greater: mask.scan(count: count) { values[$0] > constant }
            case .greaterOrEqual: mask.scan(count: count) { values[$0] >= constant }
            }
        }
    }

    private func holds(_ value: Value) -> Bool { comparison.holds(value, constant) }
}

extension QueryComparison {
    /// Whether `a` compares with `b` so.
    @inline(__always)
    func holds<Value: Comparable>(_ a: Value, _ b: Value) -> Bool {
        switch self {
        case .equal: a == b
        case .notEqual: a != b
        case .less: a < b
        case .lessOrEqual: a <= b
        case .greater: a > b
        case .greaterOrEqual: a >= b
        }
    }

    /// The equivalent comparison with both sides exchanged.
    var mirrored: QueryComparison {
        switch self {
        case .equal, .notEqual: self
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        }
    }
}
