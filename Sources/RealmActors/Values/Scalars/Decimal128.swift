import Foundation
package import Storage

/// A decimal number of up to 34 digits, as IEEE 754-2008 defines it, for instance for money.
///
///     @Persisted var price: Decimal128
///     item.price = "19.99"
///     item.price * 3                      // 59.97, exactly
///
/// Numbers are equal whatever zeros they end with: 1.5 and 1.50 are one value, and hash alike. Not
/// a number equals itself, and comes before every number. What does not fit into 34 digits is
/// rounded to the nearest, ties to even; what is too great is infinite.
public struct Decimal128: Hashable, Sendable {
    package let bits: DecimalBits

    package init(bits: DecimalBits) {
        // A row that was never written has bits of zero, which would be a zero of 6176 places.
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

    /// The number that a double is printed as: `0.1` gives 0.1. Not a number and the infinities
    /// stay what they are.
    public init(_ value: Double) { self = Decimal128("\(value)") ?? .nan }

    /// The number that a float is printed as.
    public init(_ value: Float) { self = Decimal128("\(value)") ?? .nan }

    /// Not a number.
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

    /// Whether this is not a number.
    public var isNaN: Bool { bits.isNaN }
    /// Whether this is one of the infinities.
    public var isInfinite: Bool { bits.isInfinite }
    /// Whether this is a number and no infinity.
    public var isFinite: Bool { bits.isFinite }
    /// Whether this is below zero.
    public var isNegative: Bool { self < 0 }

    /// The nearest double.
    public var doubleValue: Double { bits.double }
}

extension Decimal128: Comparable {
    /// By value; not a number comes first.
    public static func < (a: Decimal128, b: Decimal128) -> Bool { a.bits < b.bits }
}

extension Decimal128: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral
{
    /// An integer.
    public init(integerLiteral value: Int) { self.init(value) }
    /// A number with a fraction, of which a double keeps about 16 digits: write more as a string.
    public init(floatLiteral value: Double) { self.init(value) }
    /// The number that the string denotes; not a number for any other string.
    public init(stringLiteral value: String) { self = Decimal128(value) ?? .nan }
}

extension Decimal128: Codable {
    /// Decodes a string or a number. Of a number in JSON as many digits are kept as Foundation's
    /// decimal numbers have, in an import every one.
    ///
    /// - Throws: `DecodingError` for what is neither.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = Self.exact(decoder, container) {
            self = number
        } else if let number = try? container.decode(Decimal.self), !number.isNaN {
            // Before integers: decoders take a number for one when its double is.
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
                // Also a number that Foundation finds too large before it is asked for a string.
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
        // It may be that of a name which differs in case or underscores only.
        if let near = try? container.decode(Double.self) {
            let double = number.doubleValue
            return near == double || abs(near - double) <= near.ulp ? number : nil
        }
        // Beyond the range of Double, or no number.
        let isOther = (try? container.decode(String.self)) != nil || container.decodeNil()
        return isOther ? nil : number
    }

    /// Encodes the string, which keeps every digit.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
