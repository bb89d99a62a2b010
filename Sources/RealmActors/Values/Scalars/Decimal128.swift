import Foundation
package import Storage

/// A decimal number of up to 34 digits, as IEEE 754-2008 defines it, for instance for money.
///
///     @Persisted var price: Decimal128
///     item.price = "19.99"
///     item.price * 3                      // 59.97, exactly
///
/// Trailing zeros do not matter: 1.5 and 1.50 are equal and have the same hash. NaN equals itself,
/// and orders before every number. A result with more than 34 digits is rounded to the nearest,
/// ties to even; one beyond the greatest finite number is infinite.
public struct Decimal128: Hashable, Sendable {
    package let bits: DecimalBits

    package init(bits: DecimalBits) {
        // A column that was never written has zero bits, which would be a zero with 6176 decimal
        // places.
        self.bits = bits.bits == 0 ? .zero : bits
    }

    /// Zero.
    public init() { bits = .zero }

    /// An integer, exactly.
    public init(_ value: some BinaryInteger) {
        let magnitude = UInt128(clamping: value.magnitude)
        self.init(
            isNegative: value.signum() < 0, WideInteger(magnitude), exponent: 0)
    }

    /// The number as which a double is printed: `0.1` gives 0.1. NaN and the infinities are kept.
    public init(_ value: Double) { self = Decimal128("\(value)") ?? .nan }

    /// The number as which a float is printed.
    public init(_ value: Float) { self = Decimal128("\(value)") ?? .nan }

    /// NaN, which is not a number.
    public static var nan: Decimal128 { Decimal128(bits: .nan) }
    /// Greater than every number.
    public static var infinity: Decimal128 { Decimal128(bits: .infinity) }
    /// The greatest number that is finite.
    public static var greatestFiniteMagnitude: Decimal128 {
        Decimal128(
            bits: DecimalBits(
                isNegative: false, coefficient: DecimalBits.coefficientMax,
                exponent: DecimalBits.exponents.upperBound))
    }

    /// Whether this is NaN.
    public var isNaN: Bool { bits.isNaN }
    /// Whether this is one of the infinities.
    public var isInfinite: Bool { bits.isInfinite }
    /// Whether this is neither NaN nor an infinity.
    public var isFinite: Bool { bits.isFinite }
    /// Whether this is below zero.
    public var isNegative: Bool { self < 0 }

    /// The nearest double.
    public var doubleValue: Double { bits.double }
}

extension Decimal128: Comparable {
    /// Compares the values; NaN is the least.
    public static func < (a: Decimal128, b: Decimal128) -> Bool { a.bits < b.bits }
}

extension Decimal128: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral
{
    /// An integer.
    public init(integerLiteral value: Int) { self.init(value) }
    /// A number with a fraction. The literal is a double with about 16 digits: write more digits as
    /// a string.
    public init(floatLiteral value: Double) { self.init(value) }
    /// The number that the string denotes; NaN for any other string.
    public init(stringLiteral value: String) { self = Decimal128(value) ?? .nan }
}

extension Decimal128: Codable {
    /// Decodes a string or a number. A number in JSON keeps as many digits as Foundation's decimal
    /// numbers have; in an import, all of them.
    ///
    /// - Throws: `DecodingError` for what is neither.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = Self.exact(decoder, container) {
            self = number
        } else if let number = try? container.decode(Decimal.self), !number.isNaN {
            // Before integers: decoders accept a number as an integer if its double is one.
            self.init(number)
        } else if let number = try? container.decode(Int64.self) {
            self.init(number)
        } else if let number = try? container.decode(Double.self) {
            self.init(number)
        } else {
            let text: String
            do {
                text = try container.decode(String.self)
            } catch DecodingError.typeMismatch {
                // Reached too for a number that Foundation rejects as too large.
                throw DecodingError.dataCorruptedError(
                    in: container,
                    debugDescription: "A Decimal128 is a number or a text. Numbers beyond the range"
                        + " of Double are given as texts, such as \"1e400\".")
            }
            guard let value = Decimal128(text) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "'\(text)' is not a decimal number.")
            }
            self = value
        }
    }

    /// The number as it is in the JSON of an import; nil for one that Foundation has exactly.
    private static func exact(
        _ decoder: any Decoder, _ container: any SingleValueDecodingContainer
    ) -> Decimal128? {
        guard let texts = decoder.userInfo[.decimalTexts] as? DecimalTexts,
            let number = texts.text(at: decoder.codingPath).flatMap({ Decimal128($0) })
        else { return nil }
        // The text may be that of a name which differs only in case or underscores.
        if let near = try? container.decode(Double.self) {
            let double = number.doubleValue
            return near == double || abs(near - double) <= near.ulp ? number : nil
        }
        // Beyond the range of Double, or not a number.
        let isOther = (try? container.decode(String.self)) != nil || container.decodeNil()
        return isOther ? nil : number
    }

    /// Encodes the string, which keeps every digit.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
