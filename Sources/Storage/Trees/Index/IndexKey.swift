import Foundation

/// The first eight bytes of an indexed value, as a number that orders as the values do.
///
/// Values that differ may have one key; ``IndexOrder`` tells them apart then.
enum IndexKey {
    static func of(_ value: Int64) -> UInt64 { UInt64(bitPattern: value) ^ (1 << 63) }

    static func of(_ row: RowKey) -> UInt64 { of(row.rawValue) }

    /// Not a number comes before every number, as in sorts.
    static func of(_ value: Double) -> UInt64 {
        if value.isNaN { return 0 }
        // Minus zero equals zero, and so must have the same key.
        let bits = (value == 0 ? 0 : value).bitPattern
        return bits >> 63 == 0 ? bits | (1 << 63) : ~bits
    }

    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        if bytes.count >= 8 { return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) }
        var key: UInt64 = 0
        for byte in bytes { key = key << 8 | UInt64(byte) }
        return bytes.isEmpty ? 0 : key << UInt64((8 - bytes.count) * 8)
    }

    /// Values of any kind in one column: four bits for the kind, then the beginning of the key that
    /// the kind has by itself.
    static func ofMixed(_ value: StoredValue) -> UInt64 {
        let (kind, key): (UInt64, UInt64) =
            switch value {
            case .null: (0, 0)
            case .bool(let v): (1, of(Int64(v ? 1 : 0)))
            case .int(let v): (2, of(Double(v)))
            case .float(let v): (2, of(Double(v)))
            case .double(let v): (2, of(v))
            case .string(var v): (5, v.withUTF8 { of(UnsafeRawBufferPointer($0)) })
            // Unsafe: lent for the call, which reads within the buffer.
            case .data(let v): (6, v.withUnsafeBytes { of($0) })
            case .decimal(let v): (2, of(v.double))
            case .date(let v): (7, of(v))
            case .objectID(let v): (8, v.high)
            case .uuid(let v): (9, v.orderedBits.high)
            case .link(let v): (10, of(v))
            case .object(let id, let row):
                (11, UInt64(min(max(id.rawValue, 0), 0xFFFF)) << 48 | of(row) >> 16)
            case .list: (12, 0)
            case .dictionary: (13, 0)
            }
        return kind << 60 | key >> 4
    }
}
