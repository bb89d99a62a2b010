/// An unsigned integer of 256 bits, for multiplying and aligning decimals.
struct WideInteger {
    private(set) var high: UInt128
    private(set) var low: UInt128

    init(_ low: UInt128) {
        high = 0
        self.low = low
    }

    private init(high: UInt128, low: UInt128) {
        self.high = high
        self.low = low
    }

    /// The full product.
    init(_ a: UInt128, times b: UInt128) { (high, low) = a.multipliedFullWidth(by: b) }

    var isZero: Bool { high == 0 && low == 0 }

    static func < (a: WideInteger, b: WideInteger) -> Bool { (a.high, a.low) < (b.high, b.low) }

    static func == (a: WideInteger, b: WideInteger) -> Bool { (a.high, a.low) == (b.high, b.low) }

    /// The sum, which must fit.
    static func + (a: WideInteger, b: WideInteger) -> WideInteger {
        let (low, carry) = a.low.addingReportingOverflow(b.low)
        return WideInteger(high: a.high + b.high + (carry ? 1 : 0), low: low)
    }

    /// The difference; `b` must not be greater.
    static func - (a: WideInteger, b: WideInteger) -> WideInteger {
        let (low, borrow) = a.low.subtractingReportingOverflow(b.low)
        return WideInteger(high: a.high - b.high - (borrow ? 1 : 0), low: low)
    }

    /// The product, which must fit.
    func times(_ factor: UInt128) -> WideInteger {
        let product = WideInteger(low, times: factor)
        return WideInteger(high: product.high + high * factor, low: product.low)
    }

    /// The quotient and the remainder.
    func dividedBy(_ divisor: UInt128) -> (quotient: WideInteger, remainder: UInt128) {
        let upper = high.quotientAndRemainder(dividingBy: divisor)
        let lower = divisor.dividingFullWidth((upper.remainder, low))
        return (WideInteger(high: upper.quotient, low: lower.quotient), lower.remainder)
    }

    /// The number of decimal digits; zero for zero.
    var digits: Int {
        var rest = self
        var count = 0
        while !rest.isZero {
            rest = rest.dividedBy(10).quotient
            count += 1
        }
        return count
    }
}
