import Storage

/// The types that the value of a property of any type may have, as a condition on `@type` names
/// them.
package struct ValueTypeSet: OptionSet, Sendable, Hashable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    static let null = ValueTypeSet(rawValue: 1 << 0)
    static let bool = ValueTypeSet(rawValue: 1 << 1)
    static let int = ValueTypeSet(rawValue: 1 << 2)
    static let float = ValueTypeSet(rawValue: 1 << 3)
    static let double = ValueTypeSet(rawValue: 1 << 4)
    static let decimal = ValueTypeSet(rawValue: 1 << 5)
    static let string = ValueTypeSet(rawValue: 1 << 6)
    static let data = ValueTypeSet(rawValue: 1 << 7)
    static let date = ValueTypeSet(rawValue: 1 << 8)
    static let objectID = ValueTypeSet(rawValue: 1 << 9)
    static let uuid = ValueTypeSet(rawValue: 1 << 10)
    static let object = ValueTypeSet(rawValue: 1 << 11)
    static let list = ValueTypeSet(rawValue: 1 << 12)
    static let dictionary = ValueTypeSet(rawValue: 1 << 13)
    private static let all = ValueTypeSet(rawValue: 1 << 14 - 1)

    /// The names of the types, first those that are shown. `object` is a dictionary, as in Realm
    /// since its values of any type have dictionaries.
    private static let names: [(name: String, types: ValueTypeSet)] = [
        ("null", .null), ("bool", .bool), ("int", .int), ("float", .float), ("double", .double),
        ("decimal", .decimal), ("string", .string), ("data", .data), ("date", .date),
        ("objectid", .objectID), ("uuid", .uuid), ("objectlink", .object), ("list", .list),
        ("dictionary", .dictionary), ("boolean", .bool), ("integer", .int),
        ("decimal128", .decimal), ("binary", .data), ("timestamp", .date), ("link", .object),
        ("object", .dictionary), ("array", .list), ("int16", .int), ("int32", .int),
        ("int64", .int), ("short", .int), ("long", .int), ("byte", .int), ("char", .int),
        ("bytearray", .data), ("byte[]", .data), ("bindata", .data), ("datetimeoffset", .date),
        ("guid", .uuid),
        ("numeric", [.int, .float, .double, .decimal]), ("collection", [.list, .dictionary]),
    ]

    /// The types with a name, in any case; nil where there are none.
    init?(named name: String) {
        let name = name.lowercased()
        guard let found = Self.names.first(where: { $0.name == name }) else { return nil }
        self = found.types
    }

    /// The type that a value has.
    init(of value: StoredValue) {
        switch value {
        case .null: self = .null
        case .bool: self = .bool
        case .int: self = .int
        case .float: self = .float
        case .double: self = .double
        case .decimal: self = .decimal
        case .string: self = .string
        case .data: self = .data
        case .date: self = .date
        case .objectID: self = .objectID
        case .uuid: self = .uuid
        case .link, .object: self = .object
        case .list: self = .list
        case .dictionary: self = .dictionary
        }
    }

    /// All others.
    var inverted: ValueTypeSet { Self.all.subtracting(self) }

    /// The text after `@type` in a query.
    var text: String {
        var left = self
        var names: [String] = []
        for (name, types) in Self.names where !types.isDisjoint(with: left) {
            names.append("'\(name)'")
            left.subtract(types)
        }
        return "IN {\(names.joined(separator: ", "))}"
    }
}
