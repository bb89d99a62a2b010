package import Foundation

/// A value as the engine knows it: what a column or an element of a container holds.
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
    /// A link that names its class; only within ``ValueKind/mixed``.
    case object(ClassID, RowKey)

    package var isNull: Bool { self == .null }

    /// Whether both are the same value. Texts are the same when their bytes are: two ways to write
    /// a letter with its accent are two texts, as in indexes and sets.
    package static func == (a: StoredValue, b: StoredValue) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.int(let a), .int(let b)): a == b
        case (.float(let a), .float(let b)): a == b
        case (.double(let a), .double(let b)): a == b
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        case (.data(let a), .data(let b)): a == b
        case (.date(let a), .date(let b)): a == b
        case (.uuid(let a), .uuid(let b)): a == b
        case (.link(let a), .link(let b)): a == b
        case (.object(let ac, let ak), .object(let bc, let bk)): ac == bc && ak == bk
        default: false
        }
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
        case .data(let v): hasher.combine(v)
        case .uuid(let v): hasher.combine(v)
        case .link(let v): hasher.combine(v)
        case .object(let id, let key):
            hasher.combine(id)
            hasher.combine(key)
        }
    }
}

extension StoredValue: Comparable {
    /// A total order over all values: null, booleans, numbers by value, strings by their UTF-8
    /// bytes, data, dates, UUIDs, links.
    package static func < (a: StoredValue, b: StoredValue) -> Bool {
        switch (a, b) {
        case (.bool(let a), .bool(let b)): !a && b
        case (.int(let a), .int(let b)): a < b
        case (.float(let a), .float(let b)): totalOrder(Double(a), Double(b))
        case (.double(let a), .double(let b)): totalOrder(a, b)
        case (.string(let a), .string(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
        case (.data(let a), .data(let b)): a.lexicographicallyPrecedes(b)
        case (.date(let a), .date(let b)): totalOrder(a, b)
        case (.uuid(let a), .uuid(let b)): a.orderedBits < b.orderedBits
        case (.link(let a), .link(let b)): a < b
        case (.object(let ac, let ak), .object(let bc, let bk)): (ac, ak) < (bc, bk)
        default:
            if let x = a.numericValue, let y = b.numericValue, x != y {
                totalOrder(x, y)
            } else {
                a.rank < b.rank
            }
        }
    }

    private static func totalOrder(_ a: Double, _ b: Double) -> Bool {
        // NaN sorts before every number, so that a set of doubles keeps a total order.
        if a.isNaN || b.isNaN { return a.isNaN && !b.isNaN }
        return a < b
    }

    private var numericValue: Double? {
        switch self {
        case .int(let v): Double(v)
        case .float(let v): Double(v)
        case .double(let v): v
        default: nil
        }
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .bool: 1
        case .int: 2
        case .float: 3
        case .double: 4
        case .string: 5
        case .data: 6
        case .date: 7
        case .uuid: 8
        case .link: 9
        case .object: 10
        }
    }
}

extension UUID {
    /// The 16 bytes as two big-endian words, which compare as the bytes do.
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
