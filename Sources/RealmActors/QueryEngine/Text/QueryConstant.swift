import Foundation
import Storage

/// A constant of a query in text: written there, or given as an argument.
indirect enum QueryConstant {
    case value(StoredValue)
    /// A fraction that is written with more digits than a double has: to decimal numbers it is what
    /// these say, to all others the nearest double.
    case fraction(Decimal128, Double)
    case object(QueryObject)
    case list([QueryConstant])
    case area(GeoArea)

    static let null = QueryConstant.value(.null)

    /// The value, where it is one by itself. What decimal numbers are compared with is one, too:
    /// what is written as 0.1 is that, and not the nearest double.
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
}

/// What is wrong with an argument: it continues "The argument is".
struct QueryArgumentProblem: Error {
    let text: String

    init(_ text: String) { self.text = text }
}

/// An object that a query in text compares with.
struct QueryObject {
    let row: QueryRow
    let classID: ClassID?
    let className: String
}
