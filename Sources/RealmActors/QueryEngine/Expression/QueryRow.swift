package import Foundation
package import Storage

/// An object that a query compares with, by its store and its row. An unmanaged one has neither.
package struct QueryRow: Sendable, Hashable {
    package let storeID: UUID?
    /// Nil where only links are compared with it, which do not depend on the class.
    package let classID: ClassID?
    package let key: RowKey
    /// The last capture of the store that the object showed, see ``ReusedKeys``; nil if unknown.
    package let capture: UInt64?

    package init(
        storeID: UUID?, classID: ClassID? = nil, key: RowKey, capture: UInt64? = nil
    ) {
        self.storeID = storeID
        self.classID = classID
        self.key = key
        self.capture = capture
    }
}
