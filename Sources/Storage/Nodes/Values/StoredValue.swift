package import Foundation

/// A value of the engine: of a column, or of an element of a container.
package enum StoredValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case int(Int64)
    case float(Float)
    case double(Double)
    case string(String)
    case data(Data)
    /// Seconds since the reference date.
    case date(Double)
    case uuid(UUID)
    case link(RowKey)
    /// A link with its class; only within ``ValueKind/mixed``.
    case object(ClassID, RowKey)
    case objectID(ObjectIDBits)
    case decimal(DecimalBits)
    /// A list within ``ValueKind/mixed``.
    case list(NestedID, [StoredValue])
    /// A dictionary within ``ValueKind/mixed``, keys ascending.
    case dictionary(NestedID, [NestedEntry])

    package var isNull: Bool { if case .null = self { true } else { false } }

    /// The kind of column that holds such values, nil for null.
    package var kind: ValueKind? {
        switch self {
        case .null: nil
        case .bool: .bool
        case .int: .int
        case .float: .float
        case .double: .double
        case .string: .string
        case .data: .data
        case .date: .date
        case .uuid: .uuid
        case .link: .link
        case .object, .list, .dictionary: .mixed
        case .objectID: .objectID
        case .decimal: .decimal
        }
    }

    /// The family of values that it is comparable with.
    package var family: ValueFamily {
        switch self {
        case .null: .null
        case .bool: .bool
        case .int, .float, .double, .decimal: .number
        case .string: .string
        case .data: .data
        case .date: .date
        case .uuid: .uuid
        case .link: .link
        case .object: .object
        case .objectID: .objectID
        case .list, .dictionary: .collection
        }
    }

    /// Whether both are the same value. Texts are compared by bytes, as in indexes and sets:
    /// canonically equivalent texts are different.
    package static func == (a: StoredValue, b: StoredValue) -> Bool {
        switch a {
        case .null: return b.isNull
        case .bool(let a): if case .bool(let b) = b { return a == b }
        case .int(let a): if case .int(let b) = b { return a == b }
        case .float(let a): if case .float(let b) = b { return a == b }
        case .double(let a): if case .double(let b) = b { return a == b }
        case .string(let a): if case .string(let b) = b { return a.utf8.elementsEqual(b.utf8) }
        case .data(let a): if case .data(let b) = b { return a == b }
        case .date(let a): if case .date(let b) = b { return a == b }
        case .uuid(let a): if case .uuid(let b) = b { return a == b }
        case .link(let a): if case .link(let b) = b { return a == b }
        case .object(let a, let key):
            if case .object(let b, let other) = b { return a == b && key == other }
        case .objectID(let a): if case .objectID(let b) = b { return a == b }
        case .decimal(let a): if case .decimal(let b) = b { return a == b }
        case .list(_, let a): if case .list(_, let b) = b { return a == b }
        case .dictionary(_, let a): if case .dictionary(_, let b) = b { return a == b }
        }
        return false
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(rank)
        switch self {
        case .null: break
        case .bool(let v): hasher.combine(v)
        case .int(let v): hasher.combine(v)
        case .float(let v): hasher.combine(v)
        case .double(let v), .date(let v): hasher.combine(v)
        case .string(let v): for byte in v.utf8 { hasher.combine(byte) }
        case .data(let v):
            // Foundation hashes only the first 80 bytes: values with a common prefix would collide.
            hasher.combine(v.count)
            // Unsafe: lent for the call, which reads within the buffer.
            v.withUnsafeBytes { hasher.combine(bytes: $0) }
        case .uuid(let v): hasher.combine(v)
        case .link(let v): hasher.combine(v)
        case .object(let id, let key):
            hasher.combine(id)
            hasher.combine(key)
        case .objectID(let v): hasher.combine(v)
        case .decimal(let v): hasher.combine(v)
        case .list(_, let v): hasher.combine(v)
        case .dictionary(_, let v): hasher.combine(v)
        }
    }
}

extension StoredValue: Comparable {
    /// A total order over all values: null, booleans, numbers by value, strings by their UTF-8
    /// bytes, data, dates, object identifiers, UUIDs, links, lists, dictionaries.
    ///
    /// Numbers of all kinds are compared exactly; equal ones have the same position.
    package static func < (a: StoredValue, b: StoredValue) -> Bool {
        switch a {
        case .bool(let a): if case .bool(let b) = b { return !a && b }
        case .int(let a): if case .int(let b) = b { return a < b }
        case .double(let a): if case .double(let b) = b { return NumberOrder.compare(a, b) < 0 }
        case .string(let a):
            if case .string(let b) = b { return a.utf8.lexicographicallyPrecedes(b.utf8) }
        case .data(let a): if case .data(let b) = b { return a.precedes(b) }
        case .date(let a): if case .date(let b) = b { return NumberOrder.compare(a, b) < 0 }
        case .uuid(let a): if case .uuid(let b) = b { return a.orderedBits < b.orderedBits }
        case .link(let a): if case .link(let b) = b { return a < b }
        case .object(let a, let key):
            if case .object(let b, let other) = b { return (a, key) < (b, other) }
        case .objectID(let a): if case .objectID(let b) = b { return a < b }
        case .decimal(let a): if case .decimal(let b) = b { return a < b }
        case .list(_, let a): if case .list(_, let b) = b { return a.lexicographicallyPrecedes(b) }
        case .dictionary(_, let a):
            if case .dictionary(_, let b) = b {
                return a.lexicographicallyPrecedes(b) { x, y in
                    x.key.utf8.elementsEqual(y.key.utf8)
                        ? x.value < y.value : NestedEntry.precedes(x.key, y.key)
                }
            }
        // Null equals only itself; floats are compared like numbers of all kinds.
        case .null, .float: break
        }
        return NumberOrder.compare(a, b).map { $0 < 0 } ?? (a.rank < b.rank)
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .bool: 1
        case .int: 2
        case .float: 3
        case .double: 4
        case .decimal: 5
        case .string: 6
        case .data: 7
        case .date: 8
        case .objectID: 9
        case .uuid: 10
        case .link: 11
        case .object: 12
        case .list: 13
        case .dictionary: 14
        }
    }
}

extension Data {
    /// Whether the bytes precede others: by the first difference, then by their number.
    fileprivate func precedes(_ other: Data) -> Bool {
        // Unsafe: lent for the comparison, which keeps within both.
        withUnsafeBytes { a in other.withUnsafeBytes { b in ByteOrder.compare(a, b) < 0 } }
    }
}

extension UUID {
    /// The 16 bytes as two big-endian words, which have the order of the bytes.
    package var orderedBits: (high: UInt64, low: UInt64) {
        // Unsafe: two words of the 16 bytes that a UUID has.
        withUnsafeBytes(of: uuid) { bytes in
            (
                UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }
}
