import Foundation

/// The values of one scalar column for a run of rows, read from a commit record.
struct ScalarBlock {
    private let schema: ColumnSchema
    // Unsafe: parts of the record, borrowed for the length of one decoding.
    private let nulls: UnsafeRawBufferPointer?
    // Unsafe: as above.
    private var values = UnsafeRawBufferPointer(start: nil, count: 0)
    /// The values of a column that are stored as integers.
    private var integers: IntegerBlock?
    private var offsets: [Int] = []

    init(
        _ reader: inout ByteReader, count: Int, schema: ColumnSchema
    ) throws(RecordError) {
        self.schema = schema
        nulls = schema.hasNullBits ? try reader.take((count + 7) / 8) : nil
        switch schema.kind.layout {
        case .bit where !schema.isNullable: values = try reader.take((count + 7) / 8)
        case .bit, .integer: integers = try IntegerBlock(&reader, count: count)
        case .fixed(let width): values = try reader.take(count * width)
        case .bytes: try readBytes(&reader, count)
        }
    }

    private mutating func readBytes(
        _ reader: inout ByteReader, _ count: Int
    ) throws(RecordError) {
        var total = 0
        offsets.reserveCapacity(count + 1)
        offsets.append(0)
        for _ in 0..<count {
            let (sum, overflow) = total.addingReportingOverflow(try reader.int())
            guard !overflow else { throw .malformed("lengths out of range") }
            total = sum
            offsets.append(total)
        }
        values = try reader.take(total)
    }

    private static func bit(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> Bool {
        bytes[index >> 3] >> UInt8(index & 7) & 1 != 0
    }

    private func integer(_ index: Int) -> Int64 { integers?[index] ?? 0 }

    // Unsafe: valid as long as the record; the bytes up to the last offset were read, so they
    // exist.
    private func bytes(_ index: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: values[offsets[index]..<offsets[index + 1]])
    }

    /// Writes value `index` to `column` of a row.
    func write(_ index: Int, to row: RowWriter, _ column: Int) throws(RecordError) {
        if let nulls, Self.bit(nulls, index) { return row.setNull(column) }
        switch schema.kind.layout {
        case .bit:
            row.setBool(
                column, schema.isNullable ? integer(index) != 0 : Self.bit(values, index))
        case .integer: row.setInt(column, integer(index))
        case .fixed: row.setFixed(column, fixed(index))
        case .bytes where schema.kind == .mixed:
            row.setMixed(column, encoded: try soundBytes(index))
        case .bytes: row.setBytes(column, try soundBytes(index))
        }
    }

    // Unsafe: as of `bytes`.
    /// The bytes of a value, which are those of its kind.
    private func soundBytes(_ index: Int) throws(RecordError) -> UnsafeRawBufferPointer {
        let bytes = bytes(index)
        if schema.kind == .string, String(validating: bytes, as: UTF8.self) == nil {
            throw .malformed("text is not UTF-8")
        }
        if schema.kind == .mixed, !MixedCodec.isSound(bytes) {
            throw .malformed("a mixed value of no known kind")
        }
        return bytes
    }
}

extension ScalarBlock {
    /// The single value `index`.
    func value(_ index: Int) throws(RecordError) -> StoredValue {
        if let nulls, Self.bit(nulls, index) { return .null }
        switch schema.kind.layout {
        case .bit: return .bool(schema.isNullable ? integer(index) != 0 : Self.bit(values, index))
        case .integer: return StoredValue(schema.kind, integer: integer(index))
        case .fixed: return StoredValue(schema.kind, fixed: fixed(index))
        case .bytes: return StoredValue(schema.kind, bytes: try soundBytes(index))
        }
    }

    // Unsafe: reading took the width of the kind for each of the values.
    private func fixed(_ index: Int) -> UnsafeRawBufferPointer {
        let width = schema.kind.fixedWidth
        return UnsafeRawBufferPointer(rebasing: values[index * width..<(index + 1) * width])
    }
}

/// Integers, read from a commit record: offsets from a base, all of the same width.
private struct IntegerBlock {
    private let base: Int64
    private let width: Int
    // Unsafe: a part of the record, borrowed for the length of one decoding, with `width` bytes for
    // each of the integers.
    private let offsets: UnsafeRawBufferPointer

    init(_ reader: inout ByteReader, count: Int) throws(RecordError) {
        base = try reader.integer()
        width = Int(try reader.integer(UInt8.self))
        guard [1, 2, 4, 8].contains(width) else { throw .malformed("unknown integer width") }
        guard count <= reader.rest.count / width else { throw .truncated }
        offsets = try reader.take(count * width)
    }

    /// The integer at `index`, which is below the count.
    subscript(_ index: Int) -> Int64 {
        switch width {
        case 1: base &+ Int64(offsets[index])
        case 2: base &+ Int64(offsets.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self))
        case 4: base &+ Int64(offsets.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
        default: base &+ offsets.loadUnaligned(fromByteOffset: index * 8, as: Int64.self)
        }
    }
}

/// Elements of a container, read from a commit record.
enum ElementBlock {
    static func decode(
        _ reader: inout ByteReader, count: Int, _ schema: ColumnSchema
    ) throws(RecordError) -> [StoredValue] {
        if count == 0 { return [] }
        // No element takes less than a bit.
        guard count / 8 <= reader.rest.count else { throw .truncated }
        switch schema.elementKind.layout {
        case .bit:
            let bits = try reader.take((count + 7) / 8)
            return (0..<count).map { .bool(bits[$0 >> 3] >> UInt8($0 & 7) & 1 != 0) }
        case .integer: return try integers(&reader, count, schema)
        case .fixed, .bytes: break
        }
        var lengths: [Int] = []
        for _ in 0..<count { lengths.append(try reader.int()) }
        var values: [StoredValue] = []
        for length in lengths {
            let bytes = try reader.take(length)
            let value = MixedCodec.decode(bytes)
            guard MixedCodec.isSound(bytes), isElement(value, schema) else {
                throw .malformed("element of another kind")
            }
            values.append(value)
        }
        return values
    }

    /// Whether a container of this column can contain `value`.
    private static func isElement(_ value: StoredValue, _ schema: ColumnSchema) -> Bool {
        guard let kind = value.kind else { return schema.isNullable || schema.kind == .mixed }
        return kind != .link && (schema.kind == .mixed || kind == schema.kind)
    }

    private static func integers(
        _ reader: inout ByteReader, _ count: Int, _ schema: ColumnSchema
    ) throws(RecordError) -> [StoredValue] {
        let block = try IntegerBlock(&reader, count: count)
        var values: [StoredValue] = []
        values.reserveCapacity(count)
        for index in 0..<count {
            let value = block[index]
            if schema.kind == .int {
                values.append(.int(value))
            } else if value != Chunk.nullLink {
                values.append(.link(RowKey(value)))
            } else if schema.container == .map {
                values.append(.null)
            } else {
                throw .malformed("a null link in a list or set")
            }
        }
        return values
    }
}
