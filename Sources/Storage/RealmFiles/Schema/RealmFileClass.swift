/// A class of the file, or a table that Realm keeps for itself.
package struct RealmFileClass: Sendable {
    /// What the objects of a class are.
    package enum Kind: Sendable, Hashable {
        case object
        /// Each is part of one object that links it. What nothing links is left over.
        case embedded
        /// Sent to a server, and not kept.
        case asymmetric
    }

    package let key: RealmFileTableKey
    /// Of a class, its name; of another table, the table's.
    package let name: String
    package let isClass: Bool
    package let kind: Kind
    package internal(set) var properties: [RealmFileProperty]
    /// How many objects the file says there are.
    package let count: Int

    /// The tree of its clusters.
    let root: UInt64

    package var primaryKey: RealmFileProperty? { properties.first(where: \.isPrimaryKey) }

    static let prefix = "class_"
}
