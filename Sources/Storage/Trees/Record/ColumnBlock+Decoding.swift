import Foundation

/// The values of one scalar column for a run of rows, read from a commit record.
struct ScalarBlock {
    private let schema: ColumnSchema
    // Unsafe: parts of the record, borrowed for the length of one decoding.
    private let nulls: UnsafeRawBufferPointer?
    // Unsafe: as above.
    private var values = UnsafeRawBufferPointer(start: nil, count: 0)
    private var base: Int64 = 0
    private var width = 0
    private var offsets: [Int] = []

    init(
        _ reader: inout ByteReader, count: Int, schema: ColumnSchema
    ) throws(RecordError) {
        self.schema = schema
        nulls = schema.hasNullBits ? try reader.take((count + 7) / 8) : nil
        switch schema.kind {
        case .bool where !schema.isNullable: values = try reader.take((count + 7) / 8)
        case .bool, .int, .link: try readIntegers(&reader, count)
        case .float: values = try reader.take(count * 4)
        case .double, .date: values = try reader.take(count * 8)
        case .uuid, .decimal: values = try reader.take(count * 16)
        case .objectID: values = try reader.take(count * 12)
        case .string, .data, .mixed: try readBytes(&reader, count)
        }
    }

    private mutating func readIntegers(
        _ reader: inout ByteReader, _ count: Int
    ) throws(RecordError) {
        base = try reader.integer()
        width = Int(try reader.integer(UInt8.self))
        guard [1, 2, 4, 8].contains(width) else { throw .malformed("unknown integer width") }
        values = try reader.take(count * width)
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

    private func integer(_ index: Int) -> Int64 {
        switch width {
        case 1: base &+ Int64(values[index])
        case 2: base &+ Int64(values.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self))
        case 4: base &+ Int64(values.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
        default: base &+ values.loadUnaligned(fromByteOffset: index * 8, as: Int64.self)
        }
    }

    // Unsafe: valid as long as the record; reading took as many bytes as the last offset says.
    private func bytes(_ index: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: values[offsets[index]..<offsets[index + 1]])
    }

    /// Writes value `index` to `column` of a row.
    func write(_ index: Int, to row: RowWriter, _ column: Int) throws(RecordError) {
        if let nulls, Self.bit(nulls, index) { return row.setNull(column) }
        switch schema.kind {
        case .bool where !schema.isNullable: row.setBool(column, Self.bit(values, index))
        case .bool: row.setBool(column, integer(index) != 0)
        case .int: row.setInt(column, integer(index))
        case .link: row.setLink(column, RowKey(integer(index)))
        case .float:
            row.setFloat(
                column, values.loadUnaligned(fromByteOffset: index * 4, as: Float.self))
        case .double, .date:
            row.setDouble(
                column, values.loadUnaligned(fromByteOffset: index * 8, as: Double.self))
        case .uuid:
            row.setUUID(
                column,
                UUID(uuid: values.loadUnaligned(fromByteOffset: index * 16, as: uuid_t.self)))
        case .objectID:
            row.setObjectID(
                column,
                values.loadUnaligned(fromByteOffset: index * 12, as: ObjectIDBits.self))
        case .decimal:
            row.setDecimal(
                column,
                values.loadUnaligned(fromByteOffset: index * 16, as: DecimalBits.self))
        case .string:
            let bytes = bytes(index)
            guard String(validating: bytes, as: UTF8.self) != nil else {
                throw .malformed("text is not UTF-8")
            }
            row.setBytes(column, bytes)
        case .mixed:
            guard MixedCodec.isSound(bytes(index)) else {
                throw .malformed("a mixed value of no known kind")
            }
            row.setMixed(column, encoded: bytes(index))
        case .data: row.setBytes(column, bytes(index))
        }
    }
}

extension ScalarBlock {
    /// Value `index` by itself.
    func value(_ index: Int) throws(RecordError) -> StoredValue {
        if let nulls, Self.bit(nulls, index) { return .null }
        switch schema.kind {
        case .bool:
            return .bool(schema.isNullable ? integer(index) != 0 : Self.bit(values, index))
        case .int: return .int(integer(index))
        case .link: return .link(RowKey(integer(index)))
        case .float: return .float(load(index, 4))
        case .double: return .double(load(index, 8))
        case .date: return .date(load(index, 8))
        case .uuid: return .uuid(UUID(uuid: load(index, 16)))
        case .objectID: return .objectID(load(index, 12))
        case .decimal: return .decimal(load(index, 16))
        case .string:
            guard let text = String(validating: bytes(index), as: UTF8.self) else {
                throw .malformed("text is not UTF-8")
            }
            return .string(text)
        case .data: return .data(Data(bytes(index)))
        case .mixed:
            guard MixedCodec.isSound(bytes(index)) else {
                throw .malformed("a mixed value of no known kind")
            }
            return MixedCodec.decode(bytes(index))
        }
    }

    // Unsafe: reading took `size` bytes for each of the values.
    private func load<T: BitwiseCopyable>(_ index: Int, _ size: Int) -> T {
        values.loadUnaligned(fromByteOffset: index * size, as: T.self)
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
        switch schema.elementKind {
        case .bool:
            let bits = try reader.take((count + 7) / 8)
            return (0..<count).map { .bool(bits[$0 >> 3] >> UInt8($0 & 7) & 1 != 0) }
        case .int, .link: return try integers(&reader, count, schema)
        default: break
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

    /// Whether a container of this column can hold `value`.
    private static func isElement(_ value: StoredValue, _ schema: ColumnSchema) -> Bool {
        switch value {
        case .null: schema.isNullable || schema.kind == .mixed
        case .link: false
        default: schema.kind == .mixed || value.kind == schema.kind
        }
    }

    private static func integers(
        _ reader: inout ByteReader, _ count: Int, _ schema: ColumnSchema
    ) throws(RecordError) -> [StoredValue] {
        let base = try reader.integer(Int64.self)
        let width = Int(try reader.integer(UInt8.self))
        guard [1, 2, 4, 8].contains(width) else { throw .malformed("unknown integer width") }
        guard count <= reader.rest.count / width else { throw .truncated }
        let bytes = try reader.take(count * width)
        var values: [StoredValue] = []
        values.reserveCapacity(count)
        for index in 0..<count {
            var offset: UInt64 = 0
            for byte in 0..<width {
                offset |= UInt64(bytes[index * width + byte]) << UInt64(byte * 8)
            }
            let value = base &+ Int64(bitPattern: offset)
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
