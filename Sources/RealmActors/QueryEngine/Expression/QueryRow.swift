package import Foundation
package import Storage

/// An object that a query compares with: of which store, and where. Unmanaged ones are nowhere.
package struct QueryRow: Sendable, Hashable {
    package let storeID: UUID?
    /// Nil where only links are compared with it, which say nothing of classes.
    package let classID: ClassID?
    package let key: RowKey

    package init(storeID: UUID?, classID: ClassID? = nil, key: RowKey) {
        self.storeID = storeID
        self.classID = classID
        self.key = key
    }
}
