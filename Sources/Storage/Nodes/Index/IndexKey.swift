import Foundation

/// The first eight bytes of an indexed value, as a number that orders as the values do.
///
/// Values that differ may have one key; ``IndexOrder`` distinguishes them then.
package enum IndexKey {
    static func of(_ value: Int64) -> UInt64 { UInt64(bitPattern: value) ^ (1 << 63) }

    static func of(_ row: RowKey) -> UInt64 { of(row.rawValue) }

    /// NaN precedes every number, as in sorts.
    static func of(_ value: Double) -> UInt64 {
        if value.isNaN { return 0 }
        // Minus zero equals zero, and so must have the same key.
        let bits = (value == 0 ? 0 : value).bitPattern
        return bits >> 63 == 0 ? bits | (1 << 63) : ~bits
    }

    package static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        if bytes.count >= 8 { return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) }
        var key: UInt64 = 0
        for byte in bytes { key = key << 8 | UInt64(byte) }
        return bytes.isEmpty ? 0 : key << UInt64((8 - bytes.count) * 8)
    }

    /// Values of any kind in one column: four bits for the kind, then the high bits of the kind's
    /// own key.
    static func ofMixed(_ value: StoredValue) -> UInt64 {
        let key =
            switch value {
            case .object(let id, let row):
                UInt64(min(max(id.rawValue, 0), 0xFFFF)) << 48 | of(row) >> 16
            // Numbers of all kinds are ordered together.
            case _ where value.family == .number: of(value.number ?? 0)
            case _: value.indexHead
            }
        var family = UInt64(value.family.rawValue)
        if case .dictionary = value { family += 1 }
        return family << 60 | key >> 4
    }
}

extension StoredValue {
    /// A number with the order of the values of one kind, as far as it distinguishes them.
    package var indexHead: UInt64 {
        withBytes(in: .string) { IndexKey.of($0) } ?? orderedKey.high
    }
}
