public import Foundation
import Storage

extension Decimal128: LosslessStringConvertible {
    /// The number that a string denotes: digits with a point, a sign and a power of ten if need be,
    /// or `inf`, `infinity`, `nan` in any case. Nil for every other string.
    public init?(_ description: String) {
        var text = Substring(description)
        var isNegative = false
        if let sign = text.first, sign == "-" || sign == "+" {
            isNegative = sign == "-"
            text = text.dropFirst()
        }
        switch text.lowercased() {
        case "nan": self = .nan
        case "inf", "infinity": self = isNegative ? -.infinity : .infinity
        default:
            guard let digits = DecimalDigits(text) else { return nil }
            self.init(
                isNegative: isNegative, WideInteger(digits.coefficient),
                exponent: digits.exponent, isInexact: digits.isInexact)
        }
    }

    /// The number that a string denotes.
    ///
    /// - Throws: ``RealmError/invalidValue(_:)`` for a string that is not a number.
    public init(string: String) throws(RealmError) {
        guard let value = Decimal128(string) else {
            throw .invalidValue(
                "'\(string.prefix(80))' is not a decimal number. Write it as in -12.50.")
        }
        self = value
    }

    /// A number of Foundation, exact if it has at most 34 digits.
    public init(_ value: Decimal) { self = Decimal128(value.description) ?? .nan }

    /// The number as a `Decimal` of Foundation; nil if it is out of range.
    public var decimalValue: Decimal? {
        isFinite ? Decimal(string: description, locale: Locale(identifier: "en_US_POSIX")) : nil
    }

    /// The number with all its digits: in plain notation if that needs few zeros, otherwise with an
    /// exponent.
    public var stringValue: String { description }

    /// The number with all its digits.
    public var description: String {
        if isNaN { return "NaN" }
        let sign = bits.isNegative ? "-" : ""
        if isInfinite { return sign + "Infinity" }
        let digits = "\(bits.coefficient)"
        let exponent = bits.exponent
        let leading = exponent + digits.count - 1
        if exponent > 0 || leading < -6 {
            let rest = digits.dropFirst()
            return sign + "\(digits.prefix(1))" + (rest.isEmpty ? "" : ".\(rest)")
                + "E\(leading < 0 ? "" : "+")\(leading)"
        }
        if exponent == 0 { return sign + digits }
        let zeros = String(repeating: "0", count: Swift.max(0, 1 - exponent - digits.count))
        let padded = zeros + digits
        return sign + "\(padded.dropLast(-exponent)).\(padded.suffix(-exponent))"
    }
}

/// The digits of a decimal number as text.
private struct DecimalDigits {
    var coefficient: UInt128 = 0
    var exponent = 0
    /// Whether digits other than zero were left out.
    var isInexact = false

    /// One digit more than a number has, so that it can be rounded.
    private static let keptMax = 36

    init?(_ text: Substring) {
        var kept = 0
        var hasDigits = false
        var hasPoint = false
        var rest = text[...]
        while let character = rest.first {
            if character == ".", !hasPoint {
                hasPoint = true
            } else if let digit = character.asciiDigit {
                hasDigits = true
                if kept < Self.keptMax {
                    coefficient = coefficient * 10 + UInt128(digit)
                    if coefficient != 0 { kept += 1 }
                    if hasPoint { exponent -= 1 }
                } else {
                    if digit != 0 { isInexact = true }
                    if !hasPoint { exponent += 1 }
                }
            } else {
                break
            }
            rest = rest.dropFirst()
        }
        guard hasDigits else { return nil }
        guard let mark = rest.first else { return }
        guard mark == "e" || mark == "E", let power = DecimalDigits.power(rest.dropFirst()) else {
            return nil
        }
        exponent += power
    }

    /// The exponent in a string, clamped to the range of exponents.
    private static func power(_ text: Substring) -> Int? {
        var digits = text
        if let sign = text.first, sign == "-" || sign == "+" { digits = digits.dropFirst() }
        guard !digits.isEmpty, digits.allSatisfy({ $0.asciiDigit != nil }) else { return nil }
        let magnitude = Int(digits) ?? .max
        let bounded = min(magnitude, 1_000_000)
        return text.first == "-" ? -bounded : bounded
    }
}

extension Character {
    fileprivate var asciiDigit: Int? {
        guard let value = asciiValue, (48...57).contains(value) else { return nil }
        return Int(value) - 48
    }
}
