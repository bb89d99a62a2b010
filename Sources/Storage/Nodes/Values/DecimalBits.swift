/// A decimal number of 34 digits: the 128 bits of IEEE 754-2008's binary integer encoding.
///
/// From the most significant bit: the sign, 14 bits of exponent biased by 6176, 113 bits of
/// coefficient. Two ones after the sign mean infinity (`11110`), not a number (`11111`), or a
/// coefficient beyond 34 digits, which counts as zero.
package struct DecimalBits: Sendable, BitwiseCopyable {
    /// The 128 bits.
    package var bits: UInt128

    package init(bits: UInt128) { self.bits = bits }

    /// Zero.
    package static let zero = DecimalBits(isNegative: false, coefficient: 0, exponent: 0)
    /// Not a number.
    package static let nan = DecimalBits(bits: 0b11111 << 122)
    /// Greater than every number.
    package static let infinity = DecimalBits(bits: 0b11110 << 122)

    /// The greatest coefficient: 34 nines.
    package static let coefficientMax = powerOfTen(34) - 1
    /// The exponents of a finite number.
    package static let exponents = -6176...6111

    /// A finite number: `coefficient` times ten to the power of `exponent`, both within bounds.
    package init(isNegative: Bool, coefficient: UInt128, exponent: Int) {
        bits =
            (isNegative ? 1 << 127 : 0) | UInt128(exponent - Self.exponents.lowerBound) << 113
            | coefficient
    }

    package var isNegative: Bool { bits >> 127 != 0 }
    package var isNaN: Bool { bits >> 122 & 0b11111 == 0b11111 }
    package var isInfinite: Bool { bits >> 122 & 0b11111 == 0b11110 }
    package var isFinite: Bool { bits >> 123 & 0b1111 != 0b1111 }

    /// The digits of a finite number, as an integer.
    package var coefficient: UInt128 {
        // Two ones after the sign: a coefficient of more than 113 bits, which is not valid.
        if bits >> 125 & 0b11 == 0b11 { return 0 }
        let value = bits & (1 << 113 - 1)
        return value <= Self.coefficientMax ? value : 0
    }

    /// The power of ten of a finite number's last digit.
    package var exponent: Int {
        let field = bits >> 125 & 0b11 == 0b11 ? bits >> 111 : bits >> 113
        return Int(field & (1 << 14 - 1)) + Self.exponents.lowerBound
    }

    /// Ten to the power of `exponent`, which is 0 to 38.
    package static func powerOfTen(_ exponent: Int) -> UInt128 {
        var power: UInt128 = 1
        for _ in 0..<exponent { power *= 10 }
        return power
    }

    /// The number of digits of a coefficient; 0 for zero.
    package static func digits(_ coefficient: UInt128) -> Int {
        var rest = coefficient
        var count = 0
        while rest != 0 {
            rest /= 10
            count += 1
        }
        return count
    }

    /// The same number with as few digits as possible: the common form of equal numbers.
    private var canonical: DecimalBits {
        if isNaN { return .nan }
        guard isFinite else { return self }
        var (coefficient, exponent) = (coefficient, exponent)
        if coefficient == 0 { return .zero }
        while coefficient % 10 == 0, exponent < Self.exponents.upperBound {
            coefficient /= 10
            exponent += 1
        }
        return DecimalBits(isNegative: isNegative, coefficient: coefficient, exponent: exponent)
    }

    /// The nearest double.
    package var double: Double {
        if isNaN { return .nan }
        if isInfinite { return isNegative ? -.infinity : .infinity }
        return Double("\(isNegative ? "-" : "")\(coefficient)e\(exponent)") ?? .nan
    }
}

extension DecimalBits: Hashable {
    /// Whether both are the same number, with any number of digits. NaN equals itself.
    package static func == (a: DecimalBits, b: DecimalBits) -> Bool {
        a.bits == b.bits || a.canonical.bits == b.canonical.bits
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(canonical.bits) }
}

extension DecimalBits: Comparable {
    /// A total order: NaN comes first.
    package static func < (a: DecimalBits, b: DecimalBits) -> Bool {
        if a.isNaN || b.isNaN { return a.isNaN && !b.isNaN }
        let (x, y) = (a.sign, b.sign)
        if x != y { return x < y }
        return switch x {
        case 0: false
        case 1: a.isBelowInMagnitude(b)
        default: b.isBelowInMagnitude(a)
        }
    }

    private var sign: Int {
        if isFinite, coefficient == 0 { return 0 }
        return isNegative ? -1 : 1
    }

    /// Compares the magnitudes of numbers other than zero.
    private func isBelowInMagnitude(_ other: DecimalBits) -> Bool {
        if isInfinite || other.isInfinite { return !isInfinite }
        let (a, b) = (coefficient, other.coefficient)
        let (x, y) = (Self.digits(a) + exponent, Self.digits(b) + other.exponent)
        if x != y { return x < y }
        // Equally many digits before the point: the one with the greater exponent has fewer in
        // total.
        let shift = exponent - other.exponent
        return shift >= 0
            ? a * Self.powerOfTen(shift) < b : a < b * Self.powerOfTen(-shift)
    }
}
