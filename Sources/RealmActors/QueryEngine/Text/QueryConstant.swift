import Foundation
import Storage

/// A constant of a query in text: written there, or given as an argument.
indirect enum QueryConstant {
    case value(StoredValue)
    case object(QueryObject)
    case list([QueryConstant])
    case area(GeoArea)

    static let null = QueryConstant.value(.null)
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
