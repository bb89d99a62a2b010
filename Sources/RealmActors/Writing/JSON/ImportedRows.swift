import Storage

/// The objects without a primary key that imports have created, by the numbers that their JSON
/// gives them, so that links can refer to them.
///
/// An object of such a class may have a number, under the name ``field`` beside its properties. A
/// link to it is that number, in the same JSON or in that of another import with this value, before
/// or after the object. The 7 of `{"name": "Ann", "home": 7}` is a link to `{"$row": 7, "street":
/// "Broadway"}`:
///
///     var rows = ImportedRows()
///     try tx.dynamicCreate("Person", json: persons, rows: &rows)
///     try tx.dynamicCreate("House", json: houses, rows: &rows)
///     if !rows.missing.isEmpty { throw Incomplete() }
///
/// In place of a link, an object may also be given in full, with its number, any number of times.
/// As an element of the imported array it may be given once. With ``ImportedLinks/existing``, a
/// number refers to an existing object, like a primary key.
///
/// The numbers are not stored. Once a transaction has failed, begin with a new value.
public struct ImportedRows: Sendable {
    /// The name under which an object gives its number. A class that has a property of this name
    /// has no numbers.
    public static let field = "$row"

    private struct Name: Hashable {
        let className: String
        let number: Int64
    }

    private struct Row {
        let key: RowKey
        /// Whether the JSON has the object as an element of its own, not only as a link.
        var isListed = false
    }

    private var rows: [Name: Row] = [:]
    private var expected: Set<Name> = []

    /// No objects yet.
    public init() {}

    /// The numbers that links have used but no object has, by the names of the classes.
    public var missing: [String: [Int64]] {
        Dictionary(grouping: expected) { $0.className }.mapValues { names in
            names.map { $0.number }.sorted()
        }
    }

    /// The row that has a number; nil when it is not known.
    subscript(className: String, number: Int64) -> RowKey? {
        rows[Name(className: className, number: number)]?.key
    }

    /// Whether the JSON had an object with this number as an element of its own.
    func isListed(_ className: String, _ number: Int64) -> Bool {
        rows[Name(className: className, number: number)]?.isListed ?? false
    }

    /// Notes that the JSON has the object as an element of its own.
    mutating func list(_ className: String, _ number: Int64) {
        rows[Name(className: className, number: number)]?.isListed = true
    }

    /// Notes an object that the JSON gives in full.
    mutating func note(_ key: RowKey, _ className: String, _ number: Int64) {
        let name = Name(className: className, number: number)
        if rows[name]?.key != key { rows[name] = Row(key: key) }
        expected.remove(name)
    }

    /// Notes an object that was created for a link before the JSON gives it in full.
    mutating func expect(_ key: RowKey, _ className: String, _ number: Int64) {
        let name = Name(className: className, number: number)
        rows[name] = Row(key: key)
        expected.insert(name)
    }
}
