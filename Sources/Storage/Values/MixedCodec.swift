import Foundation

/// How a value of any kind is kept as bytes: one byte for the kind, then the value.
///
///     tag  value
///       0  null
///       1  bool: 1 byte
///       2  int: 8 bytes
///       3  float: 4 bytes
///       4  double: 8 bytes
///       5  string: UTF-8
///       6  data
///       7  date: 8 bytes, seconds since the reference date
///       8  UUID: 16 bytes
///       9  link: 8 bytes, row key
///      10  object: 4 bytes class, 8 bytes row key
///
/// No bytes at all are null too, so that an empty column reads as null.
enum MixedCodec {
    static func encode(_ value: StoredValue) -> [UInt8] {
        var bytes: [UInt8] = []
        switch value {
        case .null: bytes.append(0)
        case .bool(let v): bytes += [1, v ? 1 : 0]
        case .int(let v): append(2, v, to: &bytes)
        case .float(let v): append(3, v.bitPattern, to: &bytes)
        case .double(let v): append(4, v.bitPattern, to: &bytes)
        case .string(let v):
            bytes.append(5)
            bytes += v.utf8
        case .data(let v):
            bytes.append(6)
            bytes += v
        case .date(let v): append(7, v.bitPattern, to: &bytes)
        case .uuid(let v):
            bytes.append(8)
            // Unsafe: lent while the bytes are copied.
            withUnsafeBytes(of: v.uuid) { bytes += $0 }
        case .link(let v): append(9, v.rawValue, to: &bytes)
        case .object(let id, let key):
            append(10, UInt32(id.rawValue), to: &bytes)
            // Unsafe: lent while the bytes are copied.
            withUnsafeBytes(of: key.rawValue.littleEndian) { bytes += $0 }
        }
        return bytes
    }

    private static func append<T: FixedWidthInteger>(
        _ tag: UInt8, _ value: T, to bytes: inout [UInt8]
    ) {
        bytes.append(tag)
        // Unsafe: lent while the bytes are copied.
        withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
    }

    /// The value that `bytes` hold; null for what no version wrote.
    static func decode(_ bytes: UnsafeRawBufferPointer) -> StoredValue {
        guard let tag = bytes.first else { return .null }
        // Unsafe: each load below is of as many bytes as its case says there are.
        let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
        switch (tag, rest.count) {
        case (1, 1): return .bool(rest[0] != 0)
        case (2, 8): return .int(rest.loadUnaligned(as: Int64.self))
        case (3, 4): return .float(Float(bitPattern: rest.loadUnaligned(as: UInt32.self)))
        case (4, 8): return .double(Double(bitPattern: rest.loadUnaligned(as: UInt64.self)))
        case (5, _): return .string(String(decoding: rest, as: UTF8.self))
        case (6, _): return .data(Data(rest))
        case (7, 8): return .date(Double(bitPattern: rest.loadUnaligned(as: UInt64.self)))
        case (8, 16): return .uuid(UUID(uuid: rest.loadUnaligned(as: uuid_t.self)))
        case (9, 8): return .link(RowKey(rest.loadUnaligned(as: Int64.self)))
        case (10, 12):
            return .object(
                ClassID(Int(rest.loadUnaligned(as: UInt32.self))),
                RowKey(rest.loadUnaligned(fromByteOffset: 4, as: Int64.self)))
        default: return .null
        }
    }
}
