import Storage

/// A comparison of two calculated values.
package struct OperandComparison: Sendable {
    private let left: ValueOperand
    let comparison: QueryComparison
    private let right: ValueOperand
    /// Whether all values of one side have to compare with all of the other, instead of any.
    private let isUniversal: Bool
    /// Both sides, if they are calculations with integers of the row itself.
    private let integers: (left: IntegerOperand, right: IntegerOperand)?

    init(
        _ left: ValueOperand, _ comparison: QueryComparison, _ right: ValueOperand,
        isUniversal: Bool
    ) {
        self.left = left
        self.comparison = comparison
        self.right = right
        self.isUniversal = isUniversal
        if let a = IntegerOperand(left), let b = IntegerOperand(right) {
            integers = (a, b)
        } else {
            integers = nil
        }
    }

    /// Whether many rows are calculated at a time.
    var isOfIntegers: Bool { integers != nil }

    /// The same, walked as far as `cancellation` allows.
    func walked(_ cancellation: EvaluationCancellation) -> OperandComparison {
        OperandComparison(
            left.walked(cancellation), comparison, right.walked(cancellation),
            isUniversal: isUniversal)
    }

    /// The paths that it reads.
    var paths: [ValuePath] { left.paths + right.paths }

    /// For fewer rows, a batch of a whole cluster takes longer than the rows one by one.
    private static let batchMin = 16

    /// Clears the bits of the rows for which the comparison does not hold.
    func narrow(_ mask: inout ClusterMask, _ cluster: Cluster, _ view: TreeView) {
        guard let integers else { return mask.filter { holds(cluster, $0, view) } }
        if mask.count < Self.batchMin {
            return mask.filter { slot in
                guard let a = integers.left.value(cluster, slot),
                    let b = integers.right.value(cluster, slot)
                else { return holds(cluster, slot, view) }
                return comparison.holds(a, b)
            }
        }
        let left = integers.left.batch(cluster, mask)
        let matching: ClusterMask
        var rest = mask
        if case .constant(let constant) = integers.right {
            rest.subtract(left.rows)
            matching = left.matching(comparison, constant)
        } else {
            let right = integers.right.batch(cluster, left.rows)
            rest.subtract(right.rows)
            matching = left.matching(comparison, right)
        }
        // Null, and calculations without a result, have rules of their own.
        rest.filter { holds(cluster, $0, view) }
        mask.words = matching.words | rest.words
    }

    private func holds(_ cluster: Cluster, _ slot: Int, _ view: TreeView) -> Bool {
        let row = RowLocation(cluster: cluster, slot: slot)
        return isUniversal
            != left.contains(row, view) { a in
                right.contains(row, view) { b in
                    ValueTest.compare(a, comparison, b) != isUniversal
                }
            }
    }
}
