public import Foundation
import Storage

extension QueryableResults {
    /// The position of the first object for which the condition holds; nil if there is none.
    public func index(matching isIncluded: (Query<Model>) -> Query<Bool>) -> Int? {
        guard let row = `where`(isIncluded)._rows.first else { return nil }
        return _rows.position(of: row.key)
    }

    /// The objects at some positions, each of which must be below `count`.
    public func objects(at positions: IndexSet) -> [Element] { positions.map { self[$0] } }
}
