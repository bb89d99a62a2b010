public import Foundation
import Storage

// What Realm's type has beyond that of a number.
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

    /// The least number that is finite.
    public static var min: Decimal128 { -greatestFiniteMagnitude }
    /// The greatest number that is finite.
    public static var max: Decimal128 { greatestFiniteMagnitude }

    /// The sum with `number`.
    public func advanced(by number: Decimal128) -> Decimal128 { self + number }

    /// What has to be added to get `other`.
    public func distance(to other: Decimal128) -> Decimal128 { other - self }

    /// Whether this is not a number of the kind that signals. Calculations never give one.
    public var isSignaling: Bool { isNaN && bits.bits >> 121 & 1 == 1 }

    /// The same as ``isSignaling``.
    public var isSignalingNaN: Bool { isSignaling }
}
