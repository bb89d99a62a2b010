package import Foundation
package import Storage

/// An object that a query compares with: of which store, and where. Unmanaged ones are nowhere.
package struct QueryRow: Sendable, Hashable {
    package let storeID: UUID?
    package let key: RowKey

    package init(storeID: UUID?, key: RowKey) {
        self.storeID = storeID
        self.key = key
    }
}
