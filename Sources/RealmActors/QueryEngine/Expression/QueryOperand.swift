package import Storage

/// A value that a query computes for each row.
package indirect enum QueryOperand: Sendable {
    case constant(StoredValue)
    case path(QueryPath)
    /// The number of elements of a collection, or of values at the end of its path.
    case count(QueryPath)
    case aggregate(QueryPath, CollectionAggregate)
    case arithmetic(QueryOperand, ArithmeticOperator, QueryOperand)
    case datePart(QueryOperand, DatePart)
    /// Whether each of the values passes a test, as a truth value.
    case tested(QueryOperand, QueryTest)
    /// The error of an invalid calculation, thrown when it is bound.
    case refused(RealmError)
}

/// A test of one value. It is not the same as several comparisons of a path to many values, each of
/// which may hold for another value.
package enum QueryTest: Sendable {
    case member([StoredValue])
    /// The upper value belongs to the range or not.
    case between(StoredValue, StoredValue, includesUpper: Bool)
    /// A link leads to one of some rows; a value of any type is an object in one of them, or one of
    /// some other values.
    case rows([QueryRow], orValues: [StoredValue] = [])
    /// A value of any type has one of some types.
    case types(ValueTypeSet)
}

extension QueryOperand {
    /// The maximum number of terms of a calculation, which bounds its depth.
    package static let termsMax = 100

    static let refusalOfTerms = "A calculation has \(termsMax) terms at most."

    /// The number of terms of a calculation.
    var termCount: Int {
        if case .arithmetic(let left, _, let right) = self {
            left.termCount + right.termCount
        } else {
            1
        }
    }

    /// Calculates with another; what has more terms than there may be is refused.
    func calculated(_ operation: ArithmeticOperator, _ other: QueryOperand) -> QueryOperand {
        if termCount + other.termCount > Self.termsMax {
            return .refused(.invalidQuery(message: Self.refusalOfTerms, position: nil))
        }
        return .arithmetic(self, operation, other)
    }
}

/// Calculations with numbers in queries.
package enum ArithmeticOperator: Sendable, Hashable, CaseIterable {
    case add
    case subtract
    case multiply
    case divide
    /// For integers only, as in Swift.
    case remainder

    /// The result: null if a side is null, NaN if there is no result, such as for an integer
    /// overflow or a zero divisor. Integers give integers, decimals decimals, any other mixture
    /// doubles.
    package func apply(_ a: StoredValue, _ b: StoredValue) -> StoredValue {
        if a.isNull || b.isNull { return .null }
        if case (.int(let a), .int(let b)) = (a, b) {
            return integer(a, b).map { .int($0) } ?? .double(.nan)
        }
        if case (.float(let a), .float(let b)) = (a, b) { return .float(real(a, b)) }
        if a.isDecimal || b.isDecimal {
            guard let a = a.asDecimal, let b = b.asDecimal else { return .double(.nan) }
            return .decimal(decimal(a, b).bits)
        }
        guard let a = a.number, let b = b.number else { return .double(.nan) }
        return .double(real(a, b))
    }

    /// The result of integers; nil if there is none.
    @inline(__always)
    func integer(_ a: Int64, _ b: Int64) -> Int64? {
        let (value, overflow) =
            switch self {
            case .add: a.addingReportingOverflow(b)
            case .subtract: a.subtractingReportingOverflow(b)
            case .multiply: a.multipliedReportingOverflow(by: b)
            case .divide: a.dividedReportingOverflow(by: b)
            case .remainder: a.remainderReportingOverflow(dividingBy: b)
            }
        return overflow ? nil : value
    }

    private func real<Number: BinaryFloatingPoint>(_ a: Number, _ b: Number) -> Number {
        switch self {
        case .add: a + b
        case .subtract: a - b
        case .multiply: a * b
        case .divide: a / b
        case .remainder: .nan
        }
    }

    private func decimal(_ a: Decimal128, _ b: Decimal128) -> Decimal128 {
        switch self {
        case .add: a + b
        case .subtract: a - b
        case .multiply: a * b
        case .divide: a / b
        case .remainder: .nan
        }
    }
}

extension StoredValue {
    fileprivate var isDecimal: Bool { if case .decimal = self { true } else { false } }

    /// A number as a decimal one.
    var asDecimal: Decimal128? {
        switch numeric {
        case .int(let value)?: Decimal128(value)
        case .float(let value)?: Decimal128(value)
        case .double(let value)?: Decimal128(value)
        case .decimal(let value)?: Decimal128(bits: value)
        case nil: nil
        }
    }
}
