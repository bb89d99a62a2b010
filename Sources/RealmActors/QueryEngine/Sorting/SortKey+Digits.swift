import Storage

/// Eight bytes of a row's value that order as the value does, with the rank of null values.
struct SortDigit {
    /// 0 null, 1 a value, 2 a broken link on the way.
    var rank: UInt8
    var bits: UInt64
}

extension SortKey {
    /// The digit of a row at `depth`: only texts and data have more than two.
    @inline(__always)
    func digit(_ row: RowLocation, _ view: TreeView, depth: Int) -> SortDigit {
        switch measure {
        case .value: break
        case .distance(let origin, let columns):
            guard let angle = distance(row, view, origin, columns) else {
                return SortDigit(rank: 2, bits: 0)
            }
            return SortDigit(rank: 1, bits: SortKey.order(angle))
        case .collated: return collatedDigit(row, view)
        }
        guard case .value(let column, let schema) = path.end else {
            return SortDigit(rank: 0, bits: 0)
        }
        if path.steps.isEmpty { return digit(row, column, schema, depth) }
        guard let last = row.following(path.steps[...], view) else {
            return SortDigit(rank: 2, bits: 0)
        }
        return digit(last.location, column, schema, depth)
    }

    /// The beginning of the collation key of a string.
    private func collatedDigit(_ row: RowLocation, _ view: TreeView) -> SortDigit {
        guard case .value(let column, let schema) = path.end,
            let last = row.following(path.steps[...], view)
        else { return SortDigit(rank: 2, bits: 0) }
        if schema.isNullable, last.cluster.isNull(column, last.slot) {
            return SortDigit(rank: 0, bits: 0)
        }
        let key = CollationKey.bytes(of: last.cluster.bytes(column, last.slot))
        // Unsafe: borrowed for the call.
        return SortDigit(rank: 1, bits: key.withUnsafeBytes { BytePrefix.of($0, from: 0) })
    }

    @inline(__always)
    private func digit(
        _ row: RowLocation, _ column: Int, _ schema: ColumnSchema, _ depth: Int
    ) -> SortDigit {
        let cluster = row.cluster
        let slot = row.slot
        if schema.isNullable || schema.kind == .link, cluster.isNull(column, slot) {
            return SortDigit(rank: 0, bits: 0)
        }
        let bits: UInt64
        switch schema.kind.layout {
        case .integer: bits = UInt64(bitPattern: cluster.int(column, slot)) ^ (1 << 63)
        case .bit:
            let value =
                schema.isNullable ? cluster.int(column, slot) != 0 : cluster.bool(column, slot)
            bits = value ? 1 : 0
        case .fixed:
            // The kinds that most sorts are by, without a detour.
            if schema.kind == .double || schema.kind == .date {
                bits = SortKey.order(cluster.double(column, slot))
            } else if schema.kind == .float {
                bits = SortKey.order(Double(cluster.float(column, slot)))
            } else if isMixed {
                bits = 0
            } else {
                let key = cluster.fixed(column, slot, schema.kind).orderedKey
                bits = depth == 0 ? key.high : key.low
            }
        case .bytes:
            if isMixed { return SortDigit(rank: 1, bits: 0) }
            let chunk = cluster.strings(column)
            guard depth > 0 else { return SortDigit(rank: 1, bits: chunk?.prefix(slot) ?? 0) }
            // Texts that end here are alike but for zeros at their end: the shorter comes first.
            let text = chunk?.utf8(slot) ?? UnsafeRawBufferPointer(start: nil, count: 0)
            if text.count <= depth * 8 { return SortDigit(rank: 0, bits: UInt64(text.count)) }
            bits = BytePrefix.of(text, from: depth * 8)
        }
        return SortDigit(rank: 1, bits: bits)
    }

    // Unsafe: the bytes are borrowed while their row is held.
    /// Calls `body` with the bytes of a text or of data; empty where there is none.
    @inline(__always)
    func withText(
        _ row: RowLocation, _ view: TreeView, _ body: (UnsafeRawBufferPointer) -> Int
    ) -> Int {
        // Unsafe: an empty buffer, which nothing is read from.
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        guard case .value(let column, _) = path.end else { return body(none) }
        if path.steps.isEmpty { return body(row.cluster.strings(column)?.utf8(row.slot) ?? none) }
        guard let last = row.following(path.steps[...], view) else { return body(none) }
        return body(last.cluster.strings(column)?.utf8(last.slot) ?? none)
    }

    /// Doubles as numbers that order alike; NaN before everything, as zero.
    @inline(__always)
    private static func order(_ value: Double) -> UInt64 {
        if value.isNaN { return 0 }
        let bits = (value == 0 ? 0 : value).bitPattern
        return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
    }

    /// Whether values that agree in one digit may differ in the next.
    func hasMoreDigits(after depth: Int) -> Bool {
        guard measure == .value, case .value(_, let schema) = path.end else { return false }
        switch schema.kind.sortDigits {
        case .many: return true
        case .two: return depth == 0
        case .one, .none: return false
        }
    }

    /// Whether values are ordered one against another, as no digits express their order, or the
    /// first one alone is cheap to have.
    var isMixed: Bool {
        if measure == .collated { return true }
        if case .value(_, let schema) = path.end {
            return schema.kind.sortDigits == .none
        }
        return false
    }

    /// The column of a text of the row itself that is never null; nil for every other key.
    var plainTextColumn: Int? {
        guard path.steps.isEmpty, measure == .value,
            case .value(let column, let schema) = path.end, schema.kind == .string,
            !schema.isNullable
        else { return nil }
        return column
    }
}
