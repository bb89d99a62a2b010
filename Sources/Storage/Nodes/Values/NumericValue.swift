/// The number that a value is, of one of the kinds that compare and calculate with each other.
package enum NumericValue: Sendable {
    case int(Int64)
    case float(Float)
    case double(Double)
    case decimal(DecimalBits)

    /// The number, rounded to a double where it is none.
    package var double: Double {
        switch self {
        case .int(let value): Double(value)
        case .float(let value): Double(value)
        case .double(let value): value
        case .decimal(let value): value.double
        }
    }

    /// The number as an integer; nil where it is none.
    package var integer: Int64? {
        switch self {
        case .int(let value): value
        case .float(let value): Int64(exactly: value)
        case .double(let value): Int64(exactly: value)
        case .decimal(let value): value.integer
        }
    }

    package var isNaN: Bool {
        switch self {
        case .int: false
        case .float(let value): value.isNaN
        case .double(let value): value.isNaN
        case .decimal(let value): value.isNaN
        }
    }
}

extension StoredValue {
    /// The value of a number, rounded to a double where it is none.
    package var number: Double? { numeric?.double }

    package var isNotANumber: Bool {
        if case .date(let seconds) = self { return seconds.isNaN }
        return numeric?.isNaN ?? false
    }
}
