import Foundation

// Safety: bytes are lent for a call, and their number is that of the layout; no call keeps them.

/// The interpretation of the bytes of a layout by kind, the bytes of a value, and its number: all
/// that chunks, commit records, indexes and calculations know of a kind beyond its ``ValueLayout``.
extension StoredValue {
    /// The value of a kind whose layout is ``ValueLayout/integer``.
    init(_ kind: ValueKind, integer: Int64) {
        self = kind == .link ? .link(RowKey(integer)) : .int(integer)
    }

    /// The value of a kind of fixed width, from bytes of that width.
    init(_ kind: ValueKind, fixed bytes: UnsafeRawBufferPointer) {
        switch kind {
        case .float: self = .float(bytes.loadUnaligned(as: Float.self))
        case .double: self = .double(bytes.loadUnaligned(as: Double.self))
        case .date: self = .date(bytes.loadUnaligned(as: Double.self))
        case .uuid: self = .uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)))
        case .objectID: self = .objectID(bytes.loadUnaligned(as: ObjectIDBits.self))
        case .decimal: self = .decimal(bytes.loadUnaligned(as: DecimalBits.self))
        case .bool, .int, .link, .string, .data, .mixed:
            preconditionFailure("A value of kind \(kind) has no fixed width")
        }
    }

    /// The value of a kind whose layout is ``ValueLayout/bytes``.
    init(_ kind: ValueKind, bytes: UnsafeRawBufferPointer) {
        self =
            switch kind {
            case .string: .string(String(decoding: bytes, as: UTF8.self))
            case .data: .data(Data(bytes))
            case .mixed: MixedCodec.decode(bytes)
            case .bool, .int, .float, .double, .date, .uuid, .link, .objectID, .decimal:
                preconditionFailure("A value of kind \(kind) has a width")
            }
    }

    /// The integer that represents a bool, an integer or a link; nil for any other value.
    var integer: Int64? {
        if case .int(let value) = self { return value }
        if case .bool(let value) = self { return value ? 1 : 0 }
        if case .link(let row) = self { return row.rawValue }
        return nil
    }

    /// Calls `body` with the bytes of a value of fixed width; nil for any other.
    func withFixedBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R? {
        switch self {
        case .float(let value): withUnsafeBytes(of: value, body)
        case .double(let value), .date(let value): withUnsafeBytes(of: value, body)
        case .uuid(let value): withUnsafeBytes(of: value.uuid, body)
        case .objectID(let value): withUnsafeBytes(of: value, body)
        case .decimal(let value): withUnsafeBytes(of: value, body)
        case .null, .bool, .int, .string, .data, .link, .object, .list, .dictionary: nil
        }
    }

    /// Calls `body` with the bytes in a column of ``ValueLayout/bytes``; nil for values of other
    /// columns.
    func withBytes<R>(in kind: ValueKind, _ body: (UnsafeRawBufferPointer) -> R) -> R? {
        if kind == .mixed { return MixedCodec.encode(self).withUnsafeBytes(body) }
        if case .string(var text) = self {
            return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
        }
        if case .data(let data) = self { return data.withUnsafeBytes(body) }
        return nil
    }

    /// Numbers with the order of the values of one kind: the whole value, of a decimal the nearest
    /// double, or zero for texts, bytes and collections.
    package var orderedKey: (high: UInt64, low: UInt64) {
        switch self {
        case .bool(let value): (IndexKey.of(Int64(value ? 1 : 0)), 0)
        case .int(let value): (IndexKey.of(value), 0)
        case .float(let value): (IndexKey.of(Double(value)), 0)
        case .double(let value), .date(let value): (IndexKey.of(value), 0)
        case .uuid(let value): value.orderedBits
        case .objectID(let value): (value.high, UInt64(value.low))
        case .decimal(let value): (IndexKey.of(value.double), 0)
        case .link(let row), .object(_, let row): (IndexKey.of(row), 0)
        case .null, .string, .data, .list, .dictionary: (0, 0)
        }
    }

    /// The numeric value; nil for other values.
    package var numeric: NumericValue? {
        switch self {
        case .int(let value): .int(value)
        case .float(let value): .float(value)
        case .double(let value): .double(value)
        case .decimal(let value): .decimal(value)
        case .null, .bool, .string, .data, .date, .uuid, .link, .object, .objectID, .list,
            .dictionary:
            nil
        }
    }

    /// The value of an unwritten row in a column that is not nullable.
    static func zero(_ kind: ValueKind) -> StoredValue {
        switch kind.layout {
        case .bit: .bool(false)
        case .integer: kind == .link ? .null : .int(0)
        case .fixed:
            withUnsafeBytes(of: (0, 0) as (UInt64, UInt64)) { StoredValue(kind, fixed: $0) }
        case .bytes:
            StoredValue(kind, bytes: UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }
}
