import Storage

/// A calculation with integers of the row itself: the most common form of ``ValueOperand``, which
/// needs no ``StoredValue`` for each row.
indirect enum IntegerOperand: Sendable {
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

    /// The results for many rows of a cluster.
    func batch(_ cluster: Cluster, _ rows: ClusterMask) -> IntegerBatch {
        switch self {
        case .constant(let value):
            return IntegerBatch(value, rows)
        case .column(let column, let isNullable):
            var rows = rows
            if isNullable { rows.subtract(ClusterMask.nulls(column, cluster)) }
            return IntegerBatch(cluster, column, rows)
        case .arithmetic(let left, let operation, let right):
            var batch = left.batch(cluster, rows)
            if case .constant(let constant) = right {
                batch.apply(operation, constant)
            } else {
                batch.apply(operation, right.batch(cluster, batch.rows))
            }
            return batch
        }
    }
}
