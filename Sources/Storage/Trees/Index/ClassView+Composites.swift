/// The position before or after all entries with a prefix of values.
private enum Side {
    case before
    case behind
}

/// A position between the entries of an index of several columns.
private struct CompositePlace {
    let bytes: [UInt8]
    let side: Side

    /// The number of entries before it. O(log n).
    func rank(in reader: IndexReader) -> Int {
        // Unsafe: lent for the call, which does not keep the bytes.
        bytes.withUnsafeBytes { reader.rank(side, beginningWith: $0) }
    }
}

extension ClassRoot {
    /// The rows whose first `count` values in an index of several columns are those of `value`,
    /// which must all be valid for their columns and not null; in the order of creation. O(log n +
    /// rows), and more if the order of further columns has to be undone.
    package func rows(
        _ index: IndexedColumn, first count: Int, equalTo value: (Int) -> StoredValue
    ) -> MatchedRows {
        guard let reader = reader(index) else { return .none }
        return CompositeKey.withBytes(index.parts, first: count, value) { bytes in
            if count == index.parts.count {
                return reader.rows(equalTo: CompositeKey.probe(of: bytes))
            }
            return reader.rows(reader.ranks(beginningWith: bytes)).sorted()
        }
    }

    /// The number of these rows. O(log n).
    package func rowCount(
        _ index: IndexedColumn, first count: Int, equalTo value: (Int) -> StoredValue
    ) -> Int {
        guard let reader = reader(index) else { return 0 }
        return CompositeKey.withBytes(index.parts, first: count, value) { bytes in
            reader.ranks(beginningWith: bytes).count
        }
    }

    /// The index of several columns with this number; nil if there is none.
    @inline(__always)
    private func reader(_ index: IndexedColumn) -> IndexReader? {
        guard index.number < columnCount, let root = indexRoot(index.number) else { return nil }
        return IndexReader(root: root, order: IndexOrder(self, index))
    }
}

extension IndexReader {
    /// The ranks of the entries whose encoded values begin with `bytes`. O(log n).
    fileprivate func ranks(beginningWith bytes: UnsafeRawBufferPointer) -> Range<Int> {
        let start = rank(.before, beginningWith: bytes)
        return start..<max(start, rank(.behind, beginningWith: bytes))
    }

    /// The number of entries before one side of those entries. O(log n).
    fileprivate func rank(_ side: Side, beginningWith bytes: UnsafeRawBufferPointer) -> Int {
        var probe = IndexProbe(bytes: bytes)
        if side == .before { return rank(of: probe, row: .min) }
        // Entries with the prefix may have any bytes after it.
        if bytes.count < 8 { probe.key |= .max >> UInt64(bytes.count * 8) }
        return rank(of: probe, row: .max)
    }
}

extension ClassView {
    /// The rows whose first values in an index of several columns equal `values`, and whose next
    /// one is between two bounds; in the order of the index. The rows are not enumerated yet: O(log
    /// n).
    package func range(
        _ index: ColumnID, equalTo values: [StoredValue], from lower: IndexBound = .start,
        to upper: IndexBound = .end
    ) -> IndexRange {
        let order = order(index.rawValue)
        let parts = order.column.parts
        guard let root = root.indexRoot(index.rawValue), values.count <= parts.count else {
            return .empty
        }
        var bytes: [UInt8] = []
        for (number, value) in values.enumerated() {
            let part = parts[number]
            guard value.isNull ? part.hasNulls : value.kind == part.kind else { return .empty }
            CompositeKey.append(value, part, to: &bytes)
        }
        let reader = IndexReader(root: root, order: order)
        var places = (lower: lower, upper: upper)
        var next: IndexPart?
        if values.count < parts.count {
            let part = parts[values.count]
            if part.isDescending { swap(&places.lower, &places.upper) }
            next = part
        }
        let start = place(places.lower, .before, next, bytes).rank(in: reader)
        let end = place(places.upper, .behind, next, bytes).rank(in: reader)
        return IndexRange(root: root, order: order, ranks: start..<max(start, end))
    }

    /// The position of a bound of the next value among the entries that begin with `bytes`.
    private func place(
        _ bound: IndexBound, _ end: Side, _ part: IndexPart?, _ bytes: [UInt8]
    ) -> CompositePlace {
        guard let part else { return CompositePlace(bytes: bytes, side: end) }
        func place(_ value: StoredValue, _ side: Side, isPrefix: Bool = false) -> CompositePlace {
            // Nulls precede every value, even if there are none.
            let isBehind = (side == .behind) != part.isDescending
            if value.isNull, !part.hasNulls {
                return CompositePlace(bytes: bytes, side: part.isDescending ? .behind : .before)
            }
            var bytes = bytes
            CompositeKey.append(value, part, isPrefix: isPrefix, to: &bytes)
            return CompositePlace(bytes: bytes, side: isBehind ? .behind : .before)
        }
        return switch bound {
        case .start, .end: CompositePlace(bytes: bytes, side: end)
        case .before(let value): place(value, .before)
        case .after(let value): place(value, .behind)
        case .afterPrefix(let value): place(value, .behind, isPrefix: true)
        }
    }
}

extension IndexRange {
    /// Calls `body` with the rows in the order of the first `parts` columns of an index, or in
    /// reverse order, until it returns false. Rows with equal values are in the order of their
    /// creation in both directions, as in a stable sort.
    package func forEach(
        parts count: Int, ascending: Bool, _ body: (RowKey) throws -> Bool
    ) rethrows {
        guard let root else { return }
        let isWhole = count == order.column.parts.count
        if ascending, isWhole { return try forEachUntil(body) }
        if isWhole { return try forEachDescending(body) }
        let reader = IndexReader(root: root, order: order)
        var cursor = IndexCursor(root)
        var rest = ranks
        while !rest.isEmpty {
            let entry = cursor.entry(ascending ? rest.lowerBound : rest.upperBound - 1)
            let group = ranks(likeRow: entry.row, first: count, reader).clamped(to: rest)
            // A row that could not be read forms a group of its own.
            if group.isEmpty { return }
            var rows = group.map { RowKey(cursor.entry($0).row) }
            rows.sort()
            for row in rows where try !body(row) { return }
            rest =
                ascending
                ? group.upperBound..<rest.upperBound : rest.lowerBound..<group.lowerBound
        }
    }

    /// The ranks of the entries whose first values equal those of a row.
    private func ranks(likeRow row: Int64, first count: Int, _ reader: IndexReader) -> Range<Int> {
        guard let location = order.locate(row) else { return 0..<0 }
        let bytes = CompositeKey.withBytes(
            of: location.cluster, location.slot, order.column.parts, first: count
        ) { [UInt8]($0) }
        let start = CompositePlace(bytes: bytes, side: .before).rank(in: reader)
        return start..<max(start, CompositePlace(bytes: bytes, side: .behind).rank(in: reader))
    }
}
