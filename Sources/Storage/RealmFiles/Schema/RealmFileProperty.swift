/// A property of a class, according to the file.
package struct RealmFileProperty: Sendable {
    /// The kind of a value, or of the elements of a collection.
    package enum Kind: Int, Sendable, Hashable, CaseIterable {
        case int = 0
        case bool = 1
        case string = 2
        case data = 4
        case mixed = 6
        case date = 8
        case float = 9
        case double = 10
        case decimal = 11
        case link = 12
        case objectID = 15
        case uuid = 17

        /// Whether Realm has primary keys of the kind.
        var canBePrimaryKey: Bool {
            switch self {
            case .int, .string, .objectID, .uuid: true
            case .bool, .data, .mixed, .date, .float, .double, .decimal, .link: false
            }
        }
    }

    /// The kinds of collections.
    package enum Collection: Sendable, Hashable, CaseIterable {
        case list
        case set
        case dictionary
    }

    /// The stored name: names from `propertiesMapping` exist only in the app.
    package let name: String
    package let kind: Kind
    /// Whether values may be null.
    package let isOptional: Bool
    /// The kind of collection; nil for a single value.
    package let collection: Collection?
    package let isPrimaryKey: Bool
    package let isIndexed: Bool
    package let isFullText: Bool
    /// Whether equal strings are stored once.
    package let isEnumerated: Bool
    /// The table that links refer to.
    package let target: RealmFileTableKey?
    /// Whether the keys of a dictionary are integers.
    package let hasIntegerKeys: Bool

    let column: RealmColumnKey
    /// The strings of an enumerated column.
    let enumeration: UInt64?
}

/// The key of a table.
package struct RealmFileTableKey: Hashable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Its index among the tables.
    var slot: Int { Int(rawValue & 0xFFFF) }
}
