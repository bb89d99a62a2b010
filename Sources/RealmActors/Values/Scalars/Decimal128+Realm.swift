public import Foundation
import Storage

// API of Realm's type beyond arithmetic.
extension Decimal128 {
    /// The number of an `NSNumber`, exactly where it is an integer or has no more than 34 digits as
    /// decimal number.
    public init(number: NSNumber) {
        if let decimal = number as? NSDecimalNumber {
            self.init(decimal.decimalValue)
        } else if let exact = UInt64(exactly: number) {
            self.init(exact)
        } else if let exact = Int64(exactly: number) {
            self.init(exact)
        } else {
            self.init(number.doubleValue)
        }
    }

    /// The least finite number.
    public static var min: Decimal128 { -greatestFiniteMagnitude }
    /// The greatest finite number.
    public static var max: Decimal128 { greatestFiniteMagnitude }

    /// The sum with `number`.
    public func advanced(by number: Decimal128) -> Decimal128 { self + number }

    /// The difference `other - self`.
    public func distance(to other: Decimal128) -> Decimal128 { other - self }

    /// Whether this is a signaling NaN. Calculations never return one.
    public var isSignaling: Bool { isNaN && bits.bits >> 121 & 1 == 1 }

    /// The same as ``isSignaling``.
    public var isSignalingNaN: Bool { isSignaling }
}
