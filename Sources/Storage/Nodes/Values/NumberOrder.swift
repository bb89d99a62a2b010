/// The exact order of numbers of all kinds by value: no number is rounded for a comparison with
/// another kind.
enum NumberOrder {
    /// Negative if `a` comes first, zero if both are the same number, nil if one of them is not a
    /// number value. NaN precedes every number.
    static func compare(_ a: StoredValue, _ b: StoredValue) -> Int? {
        guard let a = a.numeric, let b = b.numeric else { return nil }
        return compare(a, b)
    }

    private static func compare(_ a: NumericValue, _ b: NumericValue) -> Int {
        switch (a, b) {
        case (.int(let a), .int(let b)): order(a, b)
        case (.int(let a), .float(let b)): compare(a, Double(b))
        case (.int(let a), .double(let b)): compare(a, b)
        case (.int(let a), .decimal(let b)): order(DecimalBits(a), b)
        case (.float(let a), .float(let b)): compare(Double(a), Double(b))
        case (.float(let a), .double(let b)): compare(Double(a), b)
        case (.float(let a), .decimal(let b)): compare(Double(a), b)
        case (.double(let a), .double(let b)): compare(a, b)
        case (.double(let a), .decimal(let b)): compare(a, b)
        case (.decimal(let a), .decimal(let b)): order(a, b)
        case (.float, .int), (.double, .int), (.double, .float), (.decimal, .int),
            (.decimal, .float), (.decimal, .double):
            -compare(b, a)
        }
    }

    private static func order<Value: Comparable>(_ a: Value, _ b: Value) -> Int {
        a < b ? -1 : (b < a ? 1 : 0)
    }

    static func compare(_ a: Double, _ b: Double) -> Int {
        if a.isNaN || b.isNaN { return (b.isNaN ? 1 : 0) - (a.isNaN ? 1 : 0) }
        return order(a, b)
    }

    private static func compare(_ a: Int64, _ b: Double) -> Int {
        if b.isNaN { return 1 }
        // The least double above all integers, and the least integer.
        if b >= 0x1p63 { return -1 }
        if b < -0x1p63 { return 1 }
        let whole = b.rounded(.down)
        let result = order(a, Int64(whole))
        return result == 0 && b > whole ? -1 : result
    }

    private static func compare(_ a: Double, _ b: DecimalBits) -> Int {
        if a.isNaN || b.isNaN { return (b.isNaN ? 1 : 0) - (a.isNaN ? 1 : 0) }
        // Rounding is monotonic: if the nearest double differs, it decides.
        let near = b.double
        if a != near || a.isInfinite && b.isInfinite || a == 0 && b.coefficient == 0 {
            return order(a, near)
        }
        if let whole = Int64(exactly: a) { return order(DecimalBits(whole), b) }
        let result = magnitude(a, b)
        return b.isNegative ? -result : result
    }

    /// Compares the magnitudes of two finite numbers.
    private static func magnitude(_ a: Double, _ b: DecimalBits) -> Int {
        if a.isInfinite || b.isInfinite {
            return (a.isInfinite ? 1 : 0) - (b.isInfinite ? 1 : 0)
        }
        // Both as integers times a power of two: a negative power of five multiplies the other
        // side.
        let significand = UInt64(a.magnitude.significand * 0x1p52)
        var (left, right) = (LongNumber(UInt128(significand)), LongNumber(b.coefficient))
        let scale = (a == 0 ? 0 : Int(a.exponent)) - 52 - b.exponent
        for _ in 0..<abs(b.exponent) {
            if b.exponent < 0 { left.multiply(by: 5) } else { right.multiply(by: 5) }
        }
        if scale > 0 { left.shift(by: scale) } else { right.shift(by: -scale) }
        return left.compare(right)
    }
}

/// An unsigned integer of any length.
private struct LongNumber {
    /// The low words first, without zeros at the end.
    private var words: [UInt32]

    init(_ value: UInt128) {
        words = (0..<4).map { UInt32(truncatingIfNeeded: value >> UInt128($0 * 32)) }
        trim()
    }

    private mutating func trim() {
        while words.last == 0 { words.removeLast() }
    }

    mutating func multiply(by factor: UInt32) {
        var carry: UInt64 = 0
        for index in words.indices {
            let product = UInt64(words[index]) * UInt64(factor) + carry
            words[index] = UInt32(truncatingIfNeeded: product)
            carry = product >> 32
        }
        if carry > 0 { words.append(UInt32(carry)) }
    }

    /// Multiplies by a power of two.
    mutating func shift(by bits: Int) {
        for _ in 0..<(bits % 32) { multiply(by: 2) }
        if !words.isEmpty { words = [UInt32](repeating: 0, count: bits / 32) + words }
    }

    func compare(_ other: LongNumber) -> Int {
        if words.count != other.words.count { return words.count < other.words.count ? -1 : 1 }
        for index in words.indices.reversed() where words[index] != other.words[index] {
            return words[index] < other.words[index] ? -1 : 1
        }
        return 0
    }
}

extension DecimalBits {
    /// Converts an integer exactly.
    package init(_ value: Int64) {
        self.init(
            isNegative: value < 0, coefficient: UInt128(value.magnitude), exponent: 0)
    }

    /// The integer of this value; nil if it is not a 64-bit integer.
    package var integer: Int64? {
        guard isFinite else { return nil }
        var (coefficient, exponent) = (coefficient, exponent)
        if coefficient == 0 { return 0 }
        while exponent < 0, coefficient % 10 == 0 {
            coefficient /= 10
            exponent += 1
        }
        guard exponent >= 0, Self.digits(coefficient) + exponent < 20 else { return nil }
        let whole = Int128(coefficient * Self.powerOfTen(exponent))
        return Int64(exactly: isNegative ? -whole : whole)
    }
}

extension StoredValue {
    /// Whether the order treats both as equal: equal numbers of all kinds, and all NaN values;
    /// other values only if they are the same.
    package func isSame(inOrder other: StoredValue) -> Bool {
        if case .date(let a) = self, case .date(let b) = other {
            return NumberOrder.compare(a, b) == 0
        }
        if let order = NumberOrder.compare(self, other) { return order == 0 }
        if collection != nil, other.collection != nil { return !(self < other) && !(other < self) }
        return self == other
    }

    /// Hashes values equally that ``isSame(inOrder:)`` treats as equal.
    package func hash(inOrder hasher: inout Hasher) {
        if let number = numeric {
            if let whole = number.integer {
                hasher.combine(whole)
            } else {
                Self.hash(number.double, &hasher)
            }
        } else if case .date(let seconds) = self {
            Self.hash(seconds, &hasher)
        } else if case .string(let text) = self {
            Self.hash(text, &hasher)
        } else if case .list(_, let values) = self {
            for value in values { value.hash(inOrder: &hasher) }
        } else if case .dictionary(_, let entries) = self {
            hasher.combine(entries.count)
            for entry in entries {
                Self.hash(entry.key, &hasher)
                entry.value.hash(inOrder: &hasher)
            }
        } else {
            hasher.combine(self)
        }
    }

    private static func hash(_ text: String, _ hasher: inout Hasher) {
        var text = text
        // Unsafe: lent for the call, which reads within the buffer.
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    private static func hash(_ value: Double, _ hasher: inout Hasher) {
        if value.isNaN { return }
        if let whole = Int64(exactly: value) {
            hasher.combine(whole)
        } else {
            hasher.combine(value)
        }
    }
}
