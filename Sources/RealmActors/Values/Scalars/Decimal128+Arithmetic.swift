import Storage

extension Decimal128 {
    /// A number from any number of digits, rounded to the nearest representable one, ties to even.
    ///
    /// - Parameter isInexact: whether the number is a little greater than its digits say.
    init(
        isNegative: Bool, _ digits: WideInteger, exponent: Int, isInexact: Bool = false
    ) {
        var (rest, exponent, isInexact) = (digits, exponent, isInexact)
        let bounds = DecimalBits.exponents
        var drop = Swift.max(rest.digits - 34, bounds.lowerBound - exponent, 0)
        // Below half of the least number there is only zero.
        if drop > 0, drop > rest.digits {
            self.init(
                bits: DecimalBits(
                    isNegative: isNegative, coefficient: 0, exponent: bounds.lowerBound))
            return
        }
        exponent += drop
        var last: UInt128 = 0
        while drop > 0 {
            if last != 0 { isInexact = true }
            (rest, last) = rest.dividedBy(10)
            drop -= 1
        }
        var coefficient = rest.low
        if last > 5 || last == 5 && (isInexact || coefficient % 2 == 1) { coefficient += 1 }
        if coefficient > DecimalBits.coefficientMax {
            coefficient /= 10
            exponent += 1
        }
        while exponent > bounds.upperBound, coefficient != 0,
            coefficient <= DecimalBits.coefficientMax / 10
        {
            coefficient *= 10
            exponent -= 1
        }
        if exponent > bounds.upperBound, coefficient != 0 {
            self = isNegative ? -.infinity : .infinity
            return
        }
        self.init(
            bits: DecimalBits(
                isNegative: isNegative, coefficient: coefficient,
                exponent: Swift.min(Swift.max(exponent, bounds.lowerBound), bounds.upperBound)))
    }

    private var isZero: Bool { isFinite && bits.coefficient == 0 }
}

extension Decimal128: SignedNumeric {
    /// The number without its sign.
    public var magnitude: Decimal128 { Decimal128(bits: DecimalBits(bits: (bits.bits << 1) >> 1)) }

    /// An integer; nil when it has more than 34 digits.
    public init?(exactly source: some BinaryInteger) {
        guard let magnitude = UInt128(exactly: source.magnitude),
            magnitude <= DecimalBits.coefficientMax
        else { return nil }
        self.init(source)
    }

    /// The number with the opposite sign.
    public static prefix func - (value: Decimal128) -> Decimal128 {
        value.isNaN ? value : Decimal128(bits: DecimalBits(bits: value.bits.bits ^ (1 << 127)))
    }

    /// The sum.
    public static func + (a: Decimal128, b: Decimal128) -> Decimal128 {
        if a.isNaN || b.isNaN { return .nan }
        if a.isInfinite {
            return b.isInfinite && a.bits.isNegative != b.bits.isNegative ? .nan : a
        }
        if b.isInfinite { return b }
        return a.bits.exponent >= b.bits.exponent ? sum(a.bits, b.bits) : sum(b.bits, a.bits)
    }

    /// The sum of finite numbers, of which `a` has the greater exponent.
    private static func sum(_ a: DecimalBits, _ b: DecimalBits) -> Decimal128 {
        var (x, exponent, y) = (a.coefficient, a.exponent, b.coefficient)
        // A zero has no digits to align. The sum of two zeros is negative only if both are.
        if x == 0 {
            guard y == 0 else { return Decimal128(bits: b) }
            let isNegative = a.isNegative && b.isNegative
            return Decimal128(
                bits: DecimalBits(isNegative: isNegative, coefficient: 0, exponent: b.exponent))
        }
        while exponent > b.exponent, x <= DecimalBits.coefficientMax / 10 {
            x *= 10
            exponent -= 1
        }
        var distance = exponent - b.exponent
        // Digits far below those of the other value only matter as a sticky bit.
        let reach = 38
        if distance > reach {
            y = y == 0 ? 0 : 1
            distance = reach
        }
        let left = WideInteger(x, times: DecimalBits.powerOfTen(distance))
        let right = WideInteger(y)
        let place = exponent - distance
        if a.isNegative == b.isNegative {
            return Decimal128(isNegative: a.isNegative, left + right, exponent: place)
        }
        if left == right {
            return Decimal128(isNegative: false, WideInteger(0), exponent: place)
        }
        return right < left
            ? Decimal128(isNegative: a.isNegative, left - right, exponent: place)
            : Decimal128(isNegative: b.isNegative, right - left, exponent: place)
    }

    /// The difference.
    public static func - (a: Decimal128, b: Decimal128) -> Decimal128 { a + -b }

    /// The product.
    public static func * (a: Decimal128, b: Decimal128) -> Decimal128 {
        let isNegative = a.bits.isNegative != b.bits.isNegative
        if a.isNaN || b.isNaN { return .nan }
        if a.isInfinite || b.isInfinite {
            if a.isZero || b.isZero { return .nan }
            return isNegative ? -.infinity : .infinity
        }
        return Decimal128(
            isNegative: isNegative, WideInteger(a.bits.coefficient, times: b.bits.coefficient),
            exponent: a.bits.exponent + b.bits.exponent)
    }

    /// Multiplies in place.
    public static func *= (a: inout Decimal128, b: Decimal128) { a = a * b }

    /// The quotient, rounded to 34 digits. Division by zero gives an infinity, zero by zero NaN.
    public static func / (a: Decimal128, b: Decimal128) -> Decimal128 {
        let isNegative = a.bits.isNegative != b.bits.isNegative
        if a.isNaN || b.isNaN || a.isInfinite && b.isInfinite || a.isZero && b.isZero {
            return .nan
        }
        if a.isInfinite || b.isZero { return isNegative ? -.infinity : .infinity }
        let ideal = b.isInfinite ? 0 : a.bits.exponent - b.bits.exponent
        if a.isZero || b.isInfinite {
            return Decimal128(isNegative: isNegative, WideInteger(0), exponent: ideal)
        }
        let (x, y) = (a.bits.coefficient, b.bits.coefficient)
        // Enough extra digits for a quotient with one digit more than a number has.
        let shift = Swift.max(0, 35 + DecimalBits.digits(y) - DecimalBits.digits(x))
        let scaled = WideInteger(x, times: DecimalBits.powerOfTen(Swift.min(shift, 38)))
        let rest = shift - Swift.min(shift, 38)
        let dividend = rest == 0 ? scaled : scaled.times(DecimalBits.powerOfTen(rest))
        let (quotient, remainder) = dividend.dividedBy(y)
        var (digits, exponent) = (quotient, ideal - shift)
        // An exact quotient keeps no unnecessary trailing zeros.
        while remainder == 0, exponent < ideal {
            let (shorter, last) = digits.dividedBy(10)
            guard last == 0 else { break }
            (digits, exponent) = (shorter, exponent + 1)
        }
        return Decimal128(
            isNegative: isNegative, digits, exponent: exponent, isInexact: remainder != 0)
    }

    /// Divides in place.
    public static func /= (a: inout Decimal128, b: Decimal128) { a = a / b }
}
