/// A numeric value, of one of the kinds that can be compared and calculated with each other.
package enum NumericValue: Sendable {
    case int(Int64)
    case float(Float)
    case double(Double)
    case decimal(DecimalBits)

    /// The number, rounded to a double if it is not exact.
    package var double: Double {
        switch self {
        case .int(let value): Double(value)
        case .float(let value): Double(value)
        case .double(let value): value
        case .decimal(let value): value.double
        }
    }

    /// The number as an integer; nil if it is not integral.
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
    /// The number of a value, rounded to a double if it is not exact; nil for other values.
    package var number: Double? { numeric?.double }

    package var isNotANumber: Bool {
        if case .date(let seconds) = self { return seconds.isNaN }
        return numeric?.isNaN ?? false
    }
}
