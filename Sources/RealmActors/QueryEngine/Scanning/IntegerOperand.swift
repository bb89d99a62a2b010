import Storage

/// A calculation with integers of the row itself: the most common form of ``ValueOperand``, which
/// needs no ``StoredValue`` for each row.
indirect enum IntegerOperand {
    case constant(Int64)
    case column(Int, isNullable: Bool)
    case arithmetic(IntegerOperand, ArithmeticOperator, IntegerOperand)

    /// Nil for an operand of another form.
    init?(_ operand: ValueOperand) {
        switch operand {
        case .constant(.int(let value)):
            self = .constant(value)
        case .path(let path):
            guard path.steps.isEmpty, case .value(let column, let schema) = path.end,
                schema.kind == .int, schema.container == .none
            else { return nil }
            self = .column(column, isNullable: schema.isNullable)
        case .arithmetic(let left, let operation, let right):
            guard let left = IntegerOperand(left), let right = IntegerOperand(right) else {
                return nil
            }
            self = .arithmetic(left, operation, right)
        case .constant, .count, .aggregate, .datePart, .tested:
            return nil
        }
    }

    /// The value of a row. Nil if it is no integer: for null, an overflow, and a zero divisor.
    func value(_ cluster: Cluster, _ slot: Int) -> Int64? {
        switch self {
        case .constant(let value):
            return value
        case .column(let column, let isNullable):
            return isNullable && cluster.isNull(column, slot) ? nil : cluster.int(column, slot)
        case .arithmetic(let left, let operation, let right):
            guard let a = left.value(cluster, slot), let b = right.value(cluster, slot) else {
                return nil
            }
            return operation.integer(a, b)
        }
    }
}

extension RowPredicate {
    /// Clears the bits of the rows for which a comparison of two operands does not hold.
    static func narrow(
        _ mask: inout ClusterMask, _ cluster: Cluster, _ view: TreeView, _ left: ValueOperand,
        _ comparison: QueryComparison, _ right: ValueOperand, isUniversal: Bool
    ) {
        func holds(_ slot: Int) -> Bool {
            let row = RowLocation(cluster: cluster, slot: slot)
            return isUniversal
                != left.contains(row, view) { a in
                    right.contains(row, view) { b in
                        ValueTest.compare(a, comparison, b) != isUniversal
                    }
                }
        }
        guard let a = IntegerOperand(left), let b = IntegerOperand(right) else {
            return mask.filter(holds)
        }
        mask.filter { slot in
            if let a = a.value(cluster, slot), let b = b.value(cluster, slot) {
                return comparison.holds(a, b)
            }
            return holds(slot)
        }
    }
}
