/// The values of several columns as bytes whose order is that of the values, one after the other.
///
///     null            00, where the column can be null; 01 before any other value there
///     bool, int       20 + n and the n bytes of a number from 0 on, or 1F - n and the n lowest
///                     bytes of a negative one: as few bytes as possible
///     float to date   8 bytes, as in ``IndexKey``
///     UUID, ObjectId  16 bytes
///     string, data    the bytes, 00 as 01 01 and 01 as 01 02, then 00; of a text in natural order,
///                     those of its ``CollationKey``
///
/// Big-endian; in a descending column all bits are inverted. No encoding is a prefix of another, so
/// that entries with equal first columns are a contiguous range. The key of an entry is the first
/// eight bytes; the others are encoded again from the row if keys are equal.
enum CompositeKey {
    // Unsafe: lent for `body`, which does not keep the bytes.
    /// Calls `body` with the first `count` values of a row.
    static func withBytes<R>(
        of cluster: Cluster, _ slot: Int, _ parts: IndexParts, first count: Int? = nil,
        _ body: (UnsafeRawBufferPointer) -> R
    ) -> R {
        let count = count ?? parts.count
        if parts.hasCollation {
            var bytes: [UInt8] = []
            for index in 0..<count {
                let part = parts[index]
                append(probe(cluster, slot, part), part, to: &bytes)
            }
            // Unsafe: lent for `body`.
            return bytes.withUnsafeBytes(body)
        }
        var room = 0
        for index in 0..<count {
            let part = parts[index]
            room += byteCountMax(part, probe(cluster, slot, part))
        }
        // Unsafe: lent for `body`; the writer stays within it.
        return withUnsafeTemporaryAllocation(byteCount: room, alignment: 1) { buffer in
            var writer = Writer(buffer)
            for index in 0..<count {
                let part = parts[index]
                writer.write(probe(cluster, slot, part), part)
            }
            return body(writer.bytes)
        }
    }

    // Unsafe: lent for `body`, which does not keep the bytes.
    /// Calls `body` with the first `count` values of an index, which have the kinds of its columns.
    static func withBytes<R>(
        _ parts: IndexParts, first count: Int, _ value: (Int) -> StoredValue,
        _ body: (UnsafeRawBufferPointer) -> R
    ) -> R {
        var room = 0
        var isShort = !parts.hasCollation
        for index in 0..<count {
            switch parts[index].kind.sortDigits {
            case .many: isShort = false
            case .one, .two, .none: room += 17
            }
        }
        guard isShort else {
            var bytes: [UInt8] = []
            for index in 0..<count { append(value(index), parts[index], to: &bytes) }
            // Unsafe: lent for `body`.
            return bytes.withUnsafeBytes(body)
        }
        // Unsafe: lent for `body`; the writer stays within it.
        return withUnsafeTemporaryAllocation(byteCount: room, alignment: 1) { buffer in
            var writer = Writer(buffer)
            for index in 0..<count {
                let value = value(index)
                var probe = IndexProbe(key: 0)
                probe.isNull = value.isNull
                (probe.key, probe.low) = value.orderedKey
                writer.write(probe, parts[index])
            }
            return body(writer.bytes)
        }
    }

    /// The probe for the bytes of all columns of an index.
    static func probe(of bytes: UnsafeRawBufferPointer) -> IndexProbe {
        var probe = IndexProbe(bytes: bytes)
        // Any other entry with this key would begin with these bytes, which no other encoding does.
        probe.hasUniqueKey = bytes.count <= 8
        return probe
    }

    /// Appends a value; with `isPrefix`, the beginning of a text.
    static func append(
        _ value: StoredValue, _ part: IndexPart, isPrefix: Bool = false, to bytes: inout [UInt8]
    ) {
        IndexProbe.with(value, in: part.kind) { probe in
            // Data instead of a text is its collation key.
            if value.kind == .data {
                appendBytes(probe, part, isPrefix: isPrefix, to: &bytes)
            } else {
                append(probe, part, isPrefix: isPrefix, to: &bytes)
            }
        }
    }

    private static func append(
        _ probe: IndexProbe, _ part: IndexPart, isPrefix: Bool = false, to bytes: inout [UInt8]
    ) {
        guard part.isCollated, !probe.isNull else {
            return appendBytes(probe, part, isPrefix: isPrefix, to: &bytes)
        }
        // Unsafe: lent for the call, which copies the bytes.
        CollationKey.bytes(of: probe.bytes).withUnsafeBytes {
            appendBytes(IndexProbe(bytes: $0), part, isPrefix: isPrefix, to: &bytes)
        }
    }

    private static func appendBytes(
        _ probe: IndexProbe, _ part: IndexPart, isPrefix: Bool, to bytes: inout [UInt8]
    ) {
        // Unsafe: lent for the closure, which copies the bytes; as above.
        withUnsafeTemporaryAllocation(
            byteCount: byteCountMax(part, probe), alignment: 1
        ) { buffer in
            var writer = Writer(buffer)
            writer.write(probe, part, isPrefix: isPrefix)
            bytes += writer.bytes
        }
    }

    /// Whether one of the columns of an index is null in a row.
    static func hasNull(_ cluster: Cluster, _ slot: Int, _ parts: IndexParts) -> Bool {
        (0..<parts.count).contains { index in
            let part = parts[index]
            return part.hasNulls && cluster.isNull(part.column.rawValue, slot)
        }
    }

    private static func probe(_ cluster: Cluster, _ slot: Int, _ part: IndexPart) -> IndexProbe {
        IndexProbe(cluster, slot, part.column.rawValue, part.kind, hasNulls: part.hasNulls)
    }

    private static func byteCountMax(_ part: IndexPart, _ probe: IndexProbe) -> Int {
        switch part.kind.sortDigits {
        case .many: 2 + 2 * probe.bytes.count
        case .one, .two, .none: 17
        }
    }

    // Unsafe: writes only into memory that its creator owns.
    private struct Writer {
        private let buffer: UnsafeMutableRawBufferPointer
        private var count = 0
        private var mask: UInt8 = 0

        init(_ buffer: UnsafeMutableRawBufferPointer) { self.buffer = buffer }

        var bytes: UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(rebasing: buffer[..<count])
        }

        /// A value that could not be read when its size was measured may be readable now: the store
        /// has failed then, so omitted bytes do not matter.
        private mutating func put(_ byte: UInt8) {
            if count == buffer.count { return }
            buffer[count] = byte ^ mask
            count += 1
        }

        /// The lowest `length` bytes of a number, big-endian.
        private mutating func put(_ number: UInt64, _ length: Int = 8) {
            for index in (0..<length).reversed() {
                put(UInt8(truncatingIfNeeded: number >> UInt64(index * 8)))
            }
        }

        mutating func write(_ probe: IndexProbe, _ part: IndexPart, isPrefix: Bool = false) {
            mask = part.isDescending ? 0xFF : 0
            if part.hasNulls {
                put(probe.isNull ? 0 : 1)
                if probe.isNull { return }
            }
            switch (part.kind.sortDigits, part.kind) {
            case (.many, _): write(probe.bytes, isPrefix: isPrefix)
            case (.two, _):
                put(probe.key)
                put(probe.low)
            case (.one, .int), (.one, .bool): write(Int64(bitPattern: probe.key ^ (1 << 63)))
            case (.one, _), (.none, _): put(probe.key)
            }
        }

        private mutating func write(_ number: Int64) {
            let size = UInt64(bitPattern: number < 0 ? ~number : number)
            let length = (71 - size.leadingZeroBitCount) / 8
            put(number < 0 ? 0x1F - UInt8(length) : 0x20 + UInt8(length))
            put(UInt64(bitPattern: number), length)
        }

        private mutating func write(_ bytes: UnsafeRawBufferPointer, isPrefix: Bool) {
            for byte in bytes {
                if byte < 2 {
                    put(1)
                    put(byte + 1)
                } else {
                    put(byte)
                }
            }
            if !isPrefix { put(0) }
        }
    }
}
