/// A contiguous run of index entries, as a collection of their rows. Valid as long as its view.
package struct IndexRange {
    let root: Node?
    let order: IndexOrder
    package let ranks: Range<Int>

    static var empty: IndexRange { IndexRange(root: nil, order: .exact, ranks: 0..<0) }

    package var count: Int { ranks.count }

    /// The run with other ranks of the same index, which must exist.
    package func with(ranks: Range<Int>) -> IndexRange {
        IndexRange(root: root, order: order, ranks: ranks)
    }

    /// The row at `position`. O(log n).
    package subscript(_ position: Int) -> RowKey {
        precondition(position >= 0 && position < count, "Position is out of bounds")
        guard let root else { return RowKey(0) }
        return RowKey(IndexReader.entry(root, ranks.lowerBound + position).row)
    }

    /// Whether both have the same rows in the same order. Of leaves that both have, one entry is
    /// compared.
    package func hasSameRows(as other: IndexRange) -> Bool {
        guard count == other.count, let root, let otherRoot = other.root else {
            return count == other.count
        }
        if root == otherRoot, ranks == other.ranks { return true }
        var (cursor, otherCursor) = (IndexCursor(root), IndexCursor(otherRoot))
        var (rank, otherRank) = (ranks.lowerBound, other.ranks.lowerBound)
        while rank < ranks.upperBound {
            guard cursor.entry(rank).row == otherCursor.entry(otherRank).row else { return false }
            let step = 1 + cursor.sharedCount(after: rank, otherCursor, after: otherRank)
            rank += step
            otherRank += step
        }
        return true
    }

    /// Calls `body` with each row in the order of the values, rows with equal values in their
    /// order.
    package func forEach(_ body: (RowKey) throws -> Void) rethrows {
        try forEachUntil {
            try body($0)
            return true
        }
    }

    /// Calls `body` with the keys of the entries and their rows, in their order.
    package func forEachEntry(_ body: (_ key: UInt64, RowKey) -> Void) {
        guard let root else { return }
        IndexReader.forEach(root, ranks) { entry in
            body(entry.key, RowKey(entry.row))
            return true
        }
    }

    /// The number of entries of the whole index with a key below this one. O(log n).
    package func rank(ofKey key: UInt64) -> Int {
        guard let root else { return 0 }
        return IndexReader(root: root, order: order).rank(of: IndexProbe(key: key), row: .min)
    }

    /// Calls `body` with the rows as ``forEach(_:)`` does, until it returns false.
    package func forEachUntil(_ body: (RowKey) throws -> Bool) rethrows {
        guard let root else { return }
        try IndexReader.forEach(root, ranks) { try body(RowKey($0.row)) }
    }

    /// Calls `body` with the numbers of the rows in the same order, one leaf at a time.
    package func forEachBatch(_ body: (UnsafeBufferPointer<Int64>) -> Void) {
        guard let root else { return }
        // Unsafe: lent for the call; the elements passed to `body` are initialized.
        withUnsafeTemporaryAllocation(of: Int64.self, capacity: IndexLeaf.entriesMax) { buffer in
            _ = IndexReader.forEachLeaf(root, ranks) { leaf, range in
                leaf.copyRows(range, to: buffer)
                body(UnsafeBufferPointer(rebasing: buffer[..<range.count]))
                return true
            }
        }
    }

    /// Calls `body` with the rows of the greatest value first, until it returns false. Rows with
    /// equal values keep their order, as in a stable sort.
    package func forEachDescending(_ body: (RowKey) throws -> Bool) rethrows {
        guard let root else { return }
        let reader = IndexReader(root: root, order: order)
        var cursor = IndexCursor(root)
        var end = ranks.upperBound
        while end > ranks.lowerBound {
            let start = startOfRun(endingAt: end, reader, &cursor)
            for rank in start..<end where try !body(RowKey(cursor.entry(rank).row)) { return }
            end = start
        }
    }

    /// The first entry with the value of the entry before `end`.
    private func startOfRun(
        endingAt end: Int, _ reader: IndexReader, _ cursor: inout IndexCursor
    ) -> Int {
        let last = cursor.entry(end - 1)
        guard end - 1 > ranks.lowerBound, cursor.entry(end - 2).key == last.key else {
            return end - 1
        }
        var start: Int?
        // The row is not attached, since a reader must stay within the memory budget.
        if order.isAmbiguous(last.key), let row = order.locate(last.row) {
            start = order.withProbe(row.cluster, row.slot) { reader.rank(of: $0, row: .min) }
        }
        let first = start ?? reader.rank(of: IndexProbe(key: last.key), row: .min)
        return max(ranks.lowerBound, min(end - 1, first))
    }
}
