import Foundation

/// A number in one of the types in which programs and JSON pass it.
enum GivenNumber {
    case boolean(Bool)
    case integer(Int64)
    case real(Double)

    init?(_ any: Any) {
        switch any {
        // `NSNumber` first: on platforms that bridge numbers, every cast below would succeed for
        // it.
        case let number as NSNumber where type(of: any) is NSNumber.Type: self.init(number)
        case let value as Bool: self = .boolean(value)
        case let value as Int: self = .integer(Int64(value))
        case let value as Double: self = .real(value)
        case let value as Float: self = .real(Double(value))
        case let value as any BinaryInteger:
            guard let exact = Int64(exactly: value) else { return nil }
            self = .integer(exact)
        case let number as NSNumber: self.init(number)
        default: return nil
        }
    }

    private init?(_ number: NSNumber) {
        // Foundation has one object for each truth value. By `objCType` they are integers of eight
        // bits on some platforms.
        if number === NSNumber(value: true) || number === NSNumber(value: false) {
            self = .boolean(number.boolValue)
            return
        }
        // Its `objCType` is that of a double, and a double would round large integers.
        if let decimal = number as? NSDecimalNumber, let exact = Int64("\(decimal.decimalValue)") {
            self = .integer(exact)
            return
        }
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "f"), UInt8(ascii: "d"): self = .real(number.doubleValue)
        case UInt8(ascii: "Q"):
            guard let exact = Int64(exactly: number.uint64Value) else { return nil }
            self = .integer(exact)
        default: self = .integer(number.int64Value)
        }
    }
}
