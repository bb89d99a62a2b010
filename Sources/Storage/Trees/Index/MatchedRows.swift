/// The result of looking up a value in an index: usually one row, which needs no array.
package enum MatchedRows {
    case none
    case one(RowKey)
    case several([RowKey])

    package init(_ keys: [RowKey]) {
        switch keys.count {
        case 0: self = .none
        case 1: self = .one(keys[0])
        case _: self = .several(keys)
        }
    }

    /// All rows.
    package var keys: [RowKey] {
        switch self {
        case .none: []
        case .one(let key): [key]
        case .several(let keys): keys
        }
    }

    package var first: RowKey? {
        switch self {
        case .none: nil
        case .one(let key): key
        case .several(let keys): keys.first
        }
    }

    /// The same rows in the order of their creation.
    func sorted() -> MatchedRows {
        switch self {
        case .none, .one: self
        case .several(let keys): .several(keys.sorted())
        }
    }
}
