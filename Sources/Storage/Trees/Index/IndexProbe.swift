import Foundation

/// A value to look up in an index: its key, and the bytes that distinguish it from others with the
/// same key.
struct IndexProbe {
    var key: UInt64
    // Unsafe: borrowed from the caller for one lookup or change.
    /// The bytes of a string or data, or of a value of mixed kind in the encoding of
    /// ``MixedCodec``.
    var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
    var low: UInt64 = 0
    var isNull = false
    /// Whether no other value has this key, in any index.
    var hasUniqueKey = false

    init(key: UInt64) { self.key = key }

    /// Calls `body` with the probe for `value` in a column of `kind`.
    static func with<R>(
        _ value: StoredValue, in kind: ValueKind, _ body: (IndexProbe) -> R
    ) -> R {
        if kind == .mixed {
            let encoded = MixedCodec.encode(value)
            // Unsafe: lent for `body`, which does not keep the probe.
            return encoded.withUnsafeBytes { bytes in
                var probe = IndexProbe(key: IndexKey.ofMixed(value))
                probe.bytes = bytes
                return body(probe)
            }
        }
        var probe = IndexProbe(key: 0)
        if case .string(let text) = value { return with(text, body) }
        if case .data(let data) = value {
            // Unsafe: lent for `body`, which does not keep the probe.
            return data.withUnsafeBytes { body(IndexProbe(bytes: $0)) }
        }
        probe.isNull = value.isNull
        (probe.key, probe.low) = value.orderedKey
        return body(probe)
    }

    private static func with<R>(_ text: String, _ body: (IndexProbe) -> R) -> R {
        // Unsafe: lent for `body`, which does not keep the probe.
        let result = text.utf8.withContiguousStorageIfAvailable {
            body(IndexProbe(bytes: UnsafeRawBufferPointer($0)))
        }
        if let result { return result }
        // Texts without contiguous UTF-8 storage are copied first.
        var text = text
        return text.withUTF8 { body(IndexProbe(bytes: UnsafeRawBufferPointer($0))) }
    }

    /// The probe for a string or data of these bytes.
    init(bytes: UnsafeRawBufferPointer) {
        key = IndexKey.of(bytes)
        self.bytes = bytes
    }

    /// The probe for the value of a row. Valid while the row's cluster is not changed.
    init(_ cluster: Cluster, _ slot: Int, _ column: Int, _ kind: ValueKind, hasNulls: Bool) {
        key = 0
        if hasNulls, cluster.isNull(column, slot) {
            isNull = true
            return
        }
        // Switches on the layout, not on the kind: building an index creates a probe for each row.
        switch kind.layout {
        case .integer: key = IndexKey.of(cluster.int(column, slot))
        case .bit:
            let value = hasNulls ? cluster.int(column, slot) != 0 : cluster.bool(column, slot)
            key = IndexKey.of(Int64(value ? 1 : 0))
        case .fixed: (key, low) = cluster.fixed(column, slot, kind).orderedKey
        case .bytes:
            bytes = cluster.bytes(column, slot)
            key =
                kind == .mixed
                ? IndexKey.ofMixed(MixedCodec.decode(bytes)) : IndexKey.of(bytes)
        }
    }
}
