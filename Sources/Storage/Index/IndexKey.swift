import Foundation

/// The first eight bytes of an indexed value, as a number that orders as the values do.
enum IndexKey {
    static func of(_ value: Int64) -> UInt64 { UInt64(bitPattern: value) ^ (1 << 63) }

    static func of(_ row: RowKey) -> UInt64 { of(row.rawValue) }

    static func of(_ value: Double) -> UInt64 {
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
}

/// A value to look for in an index: its key, and what tells it from others with the same key.
struct IndexProbe {
    var key: UInt64
    // Unsafe: borrowed from the caller for the length of one look-up or change.
    var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
    var low: UInt64 = 0
    var isNull = false

    init(key: UInt64) { self.key = key }

    /// Calls `body` with the probe for `value`.
    static func with<R>(_ value: StoredValue, _ body: (IndexProbe) -> R) -> R {
        var probe = IndexProbe(key: 0)
        switch value {
        case .null:
            probe.isNull = true
        case .bool(let v): probe.key = IndexKey.of(Int64(v ? 1 : 0))
        case .int(let v): probe.key = IndexKey.of(v)
        case .float(let v): probe.key = IndexKey.of(Double(v))
        case .double(let v), .date(let v): probe.key = IndexKey.of(v)
        case .uuid(let v): (probe.key, probe.low) = v.orderedBits
        case .link(let v): probe.key = IndexKey.of(v)
        case .object(_, let v): probe.key = IndexKey.of(v)
        case .string(var v):
            return v.withUTF8 { utf8 in
                var probe = IndexProbe(key: 0)
                probe.bytes = UnsafeRawBufferPointer(utf8)
                probe.key = IndexKey.of(probe.bytes)
                return body(probe)
            }
        case .data(let v):
            // Unsafe: lent for `body`, which does not keep the probe.
            return v.withUnsafeBytes { bytes in
                var probe = IndexProbe(key: IndexKey.of(bytes))
                probe.bytes = bytes
                return body(probe)
            }
        }
        return body(probe)
    }
}

/// How an index orders entries whose keys are equal.
///
/// A key holds eight bytes of the value. Where that is the whole value, rows decide next; else the
/// whole values are compared, read from the rows themselves, which an index entry never outlives.
enum IndexOrder {
    case exact
    case byValue(ClassView, column: Int)

    init(_ view: ClassView, column: Int) {
        let schema = view.classSchema.columns[column]
        switch schema.kind {
        case .link: self = .exact
        case .bool, .int, .date:
            self = schema.isNullable ? .byValue(view, column: column) : .exact
        default: self = .byValue(view, column: column)
        }
    }

    var isExact: Bool {
        if case .exact = self { true } else { false }
    }

    /// Compares `probe` with the value of `row`, their keys being equal: below zero when the probe
    /// comes first.
    func compareTie(_ probe: IndexProbe, _ row: Int64) -> Int {
        guard case .byValue(let view, let column) = self,
            let location = view.locate(RowKey(row))
        else { return 0 }
        let schema = view.classSchema.columns[column]
        let cluster = location.cluster
        if schema.hasNullBits {
            let isNull = cluster.isNull(column, location.slot)
            if isNull || probe.isNull { return (isNull ? 1 : 0) - (probe.isNull ? 1 : 0) }
        }
        switch schema.kind {
        case .string, .data:
            return IndexOrder.compare(probe.bytes, cluster.bytes(column, location.slot))
        case .uuid:
            let low = cluster.uuid(column, location.slot).orderedBits.low
            return probe.low < low ? -1 : (probe.low == low ? 0 : 1)
        default: return 0
        }
    }

    /// Compares bytes as `memcmp` does, the shorter first when it is the beginning of the longer.
    static func compare(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
        let common = min(a.count, b.count)
        if common > 0, let x = a.baseAddress, let y = b.baseAddress {
            let order = memcmp(x, y, common)
            if order != 0 { return Int(order) }
        }
        return a.count - b.count
    }
}
