/// A class of the file, or an internal table of Realm.
package struct RealmFileClass: Sendable {
    /// The kind of a class.
    package enum Kind: Sendable, Hashable {
        case object
        /// Each object is part of one object that links to it. Others are leftovers.
        case embedded
        /// Its objects are sent to a server, and not stored.
        case asymmetric
    }

    package let key: RealmFileTableKey
    /// The name of the class; for an internal table, that of the table.
    package let name: String
    package let isClass: Bool
    package let kind: Kind
    package internal(set) var properties: [RealmFileProperty]
    /// The number of objects according to the file.
    package let count: Int

    /// The tree of its clusters.
    let root: UInt64

    package var primaryKey: RealmFileProperty? { properties.first(where: \.isPrimaryKey) }

    static let prefix = "class_"
}
