import Foundation
import Storage

/// A constant of a query string: written there, or given as an argument.
indirect enum QueryConstant {
    case value(StoredValue)
    /// A fraction with more digits than a double, or computed from such. Compared with decimal
    /// numbers it has all its digits, with others it is the nearest double.
    case fraction(Decimal128, Double)
    case object(QueryObject)
    case list([QueryConstant])
    case area(GeoArea)

    static let null = QueryConstant.value(.null)

    /// The value of a single constant. With `amongDecimals`, 0.1 is exactly that, and not the
    /// nearest double.
    func single(amongDecimals: Bool = false) -> StoredValue? {
        switch self {
        case .value(let value):
            guard amongDecimals, let number = value.asDecimal else { return value }
            return .decimal(number.bits)
        case .fraction(let exact, let nearest):
            return amongDecimals ? .decimal(exact.bits) : .double(nearest)
        case .object, .list, .area: return nil
        }
    }

    /// What is calculated of two constants: to decimal numbers, 0.1 + 0.2 is 0.3. Nil where one of
    /// them is not a value by itself.
    func calculated(_ operation: ArithmeticOperator, _ other: QueryConstant) -> QueryConstant? {
        guard let a = single(), let b = other.single() else { return nil }
        let value = operation.apply(a, b)
        guard value.kind == .double || value.kind == .decimal,
            let x = single(amongDecimals: true), let y = other.single(amongDecimals: true),
            case .decimal(let bits) = operation.apply(x, y)
        else { return .value(value) }
        // With a decimal number it is one, and takes all the digits of a fraction.
        guard case .double(let nearest) = value else { return .value(.decimal(bits)) }
        let exact = Decimal128(bits: bits)
        guard exact.isFinite, !nearest.isNaN, exact != Decimal128(nearest) else {
            return .value(value)
        }
        return .fraction(exact, nearest)
    }
}

/// The problem of an argument: continues "The argument is".
struct QueryArgumentProblem: Error {
    let text: String

    init(_ text: String) { self.text = text }
}

/// An object that a query string compares with.
struct QueryObject {
    let row: QueryRow
    let classID: ClassID?
    let className: String
}
