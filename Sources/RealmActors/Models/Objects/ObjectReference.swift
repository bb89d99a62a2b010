package import Foundation
package import Storage

/// The identity of an object: Sendable, storable, valid across versions and launches.
///
/// Resolve it with a realm, a snapshot, a transaction or a live realm. In another store it resolves
/// to nil.
public struct ObjectReference<Model: ObjectBase>: Sendable, Hashable, Codable {
    /// The store that the row belongs to.
    package let storeID: UUID
    private let classNumber: Int
    private let rowNumber: Int64
    /// The last capture of the store that was shown when the reference was made, see
    /// ``ReusedKeys``. Not a part of the identity; nil for a reference that was decoded, and for
    /// one of the history.
    package private(set) var capture: UInt64?

    private enum CodingKeys: CodingKey {
        case storeID, classNumber, rowNumber
    }

    /// The internal number of the row in its class, as in ``VerificationReport/Problem`` and
    /// descriptions, for logs. No other object of the class ever has it, unless the write that
    /// created this one was rolled back, or deleted it: do not store such a reference.
    public var row: Int64 { rowNumber }

    package var classID: ClassID { ClassID(classNumber) }
    package var key: RowKey { RowKey(rowNumber) }

    package init(storeID: UUID, classID: ClassID, key: RowKey, capture: UInt64? = nil) {
        self.storeID = storeID
        classNumber = classID.rawValue
        rowNumber = key.rawValue
        self.capture = capture
    }

    /// Whether both refer to the same row of the same store.
    public static func == (a: ObjectReference, b: ObjectReference) -> Bool {
        a.storeID == b.storeID && a.classNumber == b.classNumber && a.rowNumber == b.rowNumber
    }

    /// Hashes the store and the row.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(storeID)
        hasher.combine(classNumber)
        hasher.combine(rowNumber)
    }

    /// The identity of an unmanaged object, valid for its lifetime.
    static func ofInstance(_ object: ObjectBase) -> ObjectReference {
        let address = Int(bitPattern: ObjectIdentifier(object))
        return ObjectReference(
            storeID: noStore, classID: ClassID(0), key: RowKey(Int64(address)))
    }
}

/// The store ID in references to unmanaged objects, which no store has.
private let noStore = UUID()

extension ObjectReference: CustomStringConvertible {
    /// The class and the row.
    public var description: String { "\(Model.self)#\(rowNumber)" }
}
