package import Foundation
package import Storage

/// The meaning of a property name in its class.
package enum QueryProperty: Sendable {
    case column(ColumnID)
    /// The rows of `origin` whose link in `column` points here.
    case inverse(origin: ClassID, ColumnID)
}

/// The classes for queries, by property names instead of column names.
package protocol QuerySchema: Sendable {
    /// The identity of the store.
    var storeID: UUID { get }
    /// The columns of the store.
    var store: StoreSchema { get }
    /// The property with this name; nil when the class has none.
    func property(_ name: String, of classID: ClassID) -> QueryProperty?
    /// The name of the property that a column stores; nil when no property does.
    func name(of column: ColumnID, in classID: ClassID) -> String?
    /// Whether the key of a row of the store belongs to another row where the query reads.
    func hasReused(keyOf row: QueryRow) -> Bool
}

extension QuerySchema {
    /// False: for a store whose keys are not reused.
    package func hasReused(keyOf row: QueryRow) -> Bool { false }

    /// Whether something may link to the row where the query reads.
    package func mayHave(_ row: QueryRow) -> Bool {
        row.storeID == storeID && !hasReused(keyOf: row)
    }

    /// The column's own name.
    package func name(of column: ColumnID, in classID: ClassID) -> String? {
        store[classID].columns[column.rawValue].name
    }
}
