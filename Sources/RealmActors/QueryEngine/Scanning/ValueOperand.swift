package import Storage

/// A value that a query computes for each row, bound to a schema.
package indirect enum ValueOperand: Sendable {
    case constant(StoredValue)
    case path(ValuePath)
    case count(ValuePath)
    case aggregate(ValuePath, CollectionAggregate)
    case arithmetic(ValueOperand, ArithmeticOperator, ValueOperand)
    case datePart(ValueOperand, DatePart)
    /// Whether each of the values passes a test, as a truth value.
    case tested(ValueOperand, ValueTest)

    /// Whether one of its values passes `test`: more than one come from paths through collections.
    ///
    /// It recurs for each term of a calculation. Other operands are in another function, to need
    /// less stack for each level.
    func contains(_ row: RowLocation, _ view: TreeView, _ test: (StoredValue) -> Bool) -> Bool {
        guard case .arithmetic(let left, let operation, let right) = self else {
            return containsInOne(row, view, test)
        }
        return left.contains(row, view) { a in
            right.contains(row, view) { b in test(operation.apply(a, b)) }
        }
    }

    private func containsInOne(
        _ row: RowLocation, _ view: TreeView, _ test: (StoredValue) -> Bool
    ) -> Bool {
        switch self {
        case .constant(let value): test(value)
        case .path(let path): path.contains(row, view, test)
        case .count(let path): test(.int(Int64(path.count(row, view))))
        case .aggregate(let path, let aggregate): test(path.aggregate(aggregate, row, view))
        case .arithmetic: contains(row, view, test)
        case .datePart(let date, let part):
            date.contains(row, view) { test(part.value(of: $0)) }
        case .tested(let value, let condition):
            value.contains(row, view) { test(.bool(condition.matches($0))) }
        }
    }

    /// The same, walked as far as `cancellation` allows.
    func walked(_ cancellation: EvaluationCancellation) -> ValueOperand {
        switch self {
        case .constant: self
        case .path(let path): .path(path.walked(cancellation))
        case .count(let path): .count(path.walked(cancellation))
        case .aggregate(let path, let aggregate): .aggregate(path.walked(cancellation), aggregate)
        case .arithmetic(let left, let operation, let right):
            .arithmetic(left.walked(cancellation), operation, right.walked(cancellation))
        case .datePart(let date, let part): .datePart(date.walked(cancellation), part)
        case .tested(let value, let test): .tested(value.walked(cancellation), test)
        }
    }

    /// The maximum number of collections in one comparison, whose values are all combined with each
    /// other.
    static let collectionsMax = 2

    static func refusal(ofCollections count: Int) -> String {
        "A comparison goes through \(collectionsMax) collections at most, and this one through "
            + "\(count): it would be evaluated for every combination of their elements. Compare "
            + "@sum, @min, @max, @avg or @count of some of them."
    }

    /// The number of its paths that may have more than one value.
    var collectionCount: Int {
        switch self {
        case .constant, .count, .aggregate: 0
        case .path(let path): path.isSingle ? 0 : 1
        case .arithmetic(let left, _, let right): left.collectionCount + right.collectionCount
        case .datePart(let date, _): date.collectionCount
        case .tested(let value, _): value.collectionCount
        }
    }

    /// The same where it is compared with another. The average of decimal numbers is a double,
    /// which, compared with a decimal number, counts as the decimal number that it is printed as:
    /// 0.2 is 0.2.
    func compared(with other: ValueOperand) -> ValueOperand {
        guard case .aggregate(let path, .average) = self, path.valueKind == .decimal,
            other.isDecimal
        else { return self }
        return .arithmetic(self, .add, .constant(.decimal(Decimal128().bits)))
    }

    /// Whether its values are decimal numbers.
    private var isDecimal: Bool {
        switch self {
        case .path(let path): path.valueKind == .decimal
        case .aggregate(let path, let aggregate):
            path.valueKind == .decimal && aggregate != .average && aggregate != .distinctCount
        case .arithmetic(let left, _, let right): left.isDecimal || right.isDecimal
        case .constant(let value): value.kind == .decimal
        case .count, .datePart, .tested: false
        }
    }

    /// The paths that it reads.
    var paths: [ValuePath] {
        switch self {
        case .constant: []
        case .path(let path), .count(let path), .aggregate(let path, _): [path]
        case .arithmetic(let left, _, let right): left.paths + right.paths
        case .datePart(let date, _): date.paths
        case .tested(let value, _): value.paths
        }
    }
}
