import Foundation

/// The values of one column for a run of rows, in the encoding of a commit record.
///
///     null bits, when the column has them: one per row, low bit first
///     bool: one bit per row
///     int, link, nullable bool: i64 base, u8 width, then the offsets in that width
///     float, double, date, UUID: plainly, 4, 8, 8 and 16 bytes
///     string, data, mixed: varint length of each, then the bytes of all
///     list, set: per row varint count, then a block of that many elements
///     map: per row varint count, then a block of the keys and one of the values
enum ColumnBlock {
    static func encode(
        _ rows: [RowLocation], _ column: Int, _ schema: ColumnSchema,
        into writer: inout PayloadWriter
    ) {
        switch schema.container {
        case .none: break
        case .list, .set:
            for row in rows {
                encode(row.cluster.sequence(column, row.slot, schema), into: &writer)
            }
            return
        case .map:
            for row in rows {
                let map = row.cluster.map(column, row.slot, schema)
                encode(map.keys, into: &writer)
                encode(map.values, into: &writer)
            }
            return
        }
        if schema.hasNullBits {
            bits(rows.count, into: &writer) { rows[$0].cluster.isNull(column, rows[$0].slot) }
        }
        encodeScalars(rows, column, schema, into: &writer)
    }

    private static func encodeScalars(
        _ rows: [RowLocation], _ column: Int, _ schema: ColumnSchema,
        into writer: inout PayloadWriter
    ) {
        let count = rows.count
        switch schema.kind.layout {
        case .bit where !schema.isNullable:
            bits(count, into: &writer) { rows[$0].cluster.bool(column, rows[$0].slot) }
        case .bit, .integer:
            let hasNulls = schema.hasNullBits
            integers(count, into: &writer) { index in
                let row = rows[index]
                if hasNulls, row.cluster.isNull(column, row.slot) { return nil }
                return row.cluster.int(column, row.slot)
            }
        case .fixed(let width):
            for row in rows {
                if let bytes = row.cluster.fixedBytes(column, row.slot, schema.kind) {
                    writer.write(bytes)
                } else {
                    writer.write(size: width) { $0.initializeMemory(as: UInt8.self, repeating: 0) }
                }
            }
        case .bytes:
            for row in rows {
                writer.writeVarint(UInt64(row.cluster.bytes(column, row.slot).count))
            }
            for row in rows { writer.write(row.cluster.bytes(column, row.slot)) }
        }
    }

    /// All elements of a container, with their count before them.
    static func encode(_ view: SequenceView, into writer: inout PayloadWriter) {
        let count = view.count
        writer.writeVarint(UInt64(count))
        encode(view, Array(0..<count), into: &writer)
    }

    /// Encodes elements of one collection, without their count: those at `indices`, in a map with
    /// their keys, then those at `others`, whose keys the reader has already.
    static func encodeElements(
        at indices: [Int], andWithoutKeys others: [Int], of row: RowLocation, _ column: Int,
        _ schema: ColumnSchema, into writer: inout PayloadWriter
    ) {
        guard schema.container == .map else {
            let elements = row.cluster.sequence(column, row.slot, schema)
            return encode(elements, indices + others, into: &writer)
        }
        let map = row.cluster.map(column, row.slot, schema)
        encode(map.keys, indices, into: &writer)
        encode(map.values, indices + others, into: &writer)
    }

    /// The elements at `indices`, without their count.
    static func encode(
        _ view: SequenceView, _ indices: [Int], into writer: inout PayloadWriter
    ) {
        if indices.isEmpty { return }
        switch view.kind.layout {
        case .bit: bits(indices.count, into: &writer) { view.int(indices[$0]) != 0 }
        case .integer: integers(indices.count, into: &writer) { view.int(indices[$0]) }
        case .fixed, .bytes:
            var values: [[UInt8]] = []
            for index in indices { values.append(MixedCodec.encode(view[index])) }
            for value in values { writer.writeVarint(UInt64(value.count)) }
            for value in values { value.withUnsafeBytes { writer.write($0) } }
        }
    }

    private static func bits(
        _ count: Int, into writer: inout PayloadWriter, _ bit: (Int) -> Bool
    ) {
        for start in stride(from: 0, to: count, by: 8) {
            var byte: UInt8 = 0
            for index in start..<min(start + 8, count) where bit(index) {
                byte |= 1 << UInt8(index - start)
            }
            writer.write(byte)
        }
    }

    private static func integers(
        _ count: Int, into writer: inout PayloadWriter, _ value: (Int) -> Int64?
    ) {
        var low = Int64.max
        var high = Int64.min
        for index in 0..<count {
            guard let value = value(index) else { continue }
            low = min(low, value)
            high = max(high, value)
        }
        if low > high { (low, high) = (0, 0) }
        let span = UInt64(bitPattern: high &- low)
        let width = span > 0xFFFF_FFFF ? 8 : (span > 0xFFFF ? 4 : (span > 0xFF ? 2 : 1))
        writer.write(low)
        writer.write(UInt8(width))
        for index in 0..<count {
            let offset = UInt64(bitPattern: (value(index) ?? low) &- low)
            switch width {
            case 1: writer.write(UInt8(truncatingIfNeeded: offset))
            case 2: writer.write(UInt16(truncatingIfNeeded: offset))
            case 4: writer.write(UInt32(truncatingIfNeeded: offset))
            default: writer.write(offset)
            }
        }
    }
}
