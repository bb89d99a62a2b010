import Storage

/// A measure of the rows of a group.
enum GroupMeasure: Sendable {
    case count
    /// The number of different values, without nil.
    case distinctCount(ValuePath)
    case total(ValuePath)
    case extreme(CollectionAggregate, ValuePath)

    /// The path to the values; nil if none are read.
    var path: ValuePath? {
        switch self {
        case .count: nil
        case .distinctCount(let path), .total(let path), .extreme(_, let path): path
        }
    }

    /// Whether what a row has added can be subtracted exactly, and the order of rows is irrelevant.
    var isReversible: Bool { if case .count = self { true } else { integerColumn != nil } }

    /// The integers of the rows themselves that are added up; nil for any other measure.
    var integerColumn: (column: Int, schema: ColumnSchema)? {
        guard case .total(let path) = self, path.steps.isEmpty,
            case .value(let column, let schema) = path.end, schema.kind == .int
        else { return nil }
        return (column, schema)
    }
}

/// The result of a measure for one group.
enum GroupResult: Sendable, Equatable {
    case count(Int)
    case total(AggregateTotal)
    /// Null where no row has a value.
    case value(StoredValue)

    static func == (a: GroupResult, b: GroupResult) -> Bool {
        switch a {
        case .count(let a): if case .count(let b) = b { return a == b }
        case .value(let a): if case .value(let b) = b { return a == b }
        case .total(let a):
            guard case .total(let b) = b else { return false }
            return a.count == b.count && a.integers == b.integers
                && a.reals.bitPattern == b.reals.bitPattern && a.decimals.bits == b.decimals.bits
        }
        return false
    }
}
