import Storage

/// The accumulator of sums and averages. Opaque outside the library.
@_documentation(visibility: internal)
public struct AggregateTotal: Sendable {
    /// Integers add up exactly.
    package var integers: Int128 = 0
    package var reals = 0.0
    package var decimals = Decimal128()
    package var count = 0
    // Not by their sums: numbers of a kind may add up to zero.
    private var hasReals = false
    private var hasDecimals = false

    /// The sum of the numbers that were added by ``add(_:)``, which may be of all kinds; of
    /// integers exactly.
    var sum: StoredValue {
        if hasDecimals {
            let rest = hasReals ? Decimal128(reals) + Decimal128(integers) : Decimal128(integers)
            return .decimal((decimals + rest).bits)
        }
        if hasReals { return .double(Double(integers) + reals) }
        guard let exact = Int64(exactly: integers) else {
            return .decimal(Decimal128(integers).bits)
        }
        return .int(exact)
    }

    /// The integer sum, at the ends of the range where it does not fit.
    package var clamped: Int { Int(clamping: integers) }

    package var average: Double? {
        if count == 0 { return nil }
        if integers == 0, reals == 0 {
            // Doubles would be divided inexactly: a third of 0.6 is not the double 0.2.
            return (decimals / Decimal128(count)).doubleValue
        }
        return (Double(integers) + reals + decimals.doubleValue) / Double(count)
    }
}

extension AggregateTotal {
    /// Adds a number; null and NaN do not count.
    mutating func add(_ value: StoredValue) {
        guard let number = value.numeric, !number.isNaN else { return }
        switch number {
        case .int(let value): integers += Int128(value)
        case .float(let value): addReal(Double(value))
        case .double(let value): addReal(value)
        case .decimal(let value):
            decimals += Decimal128(bits: value)
            hasDecimals = true
        }
        count += 1
    }

    private mutating func addReal(_ value: Double) {
        reals += value
        hasReals = true
    }
}
