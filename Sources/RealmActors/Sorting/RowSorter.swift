import Storage

/// Sorts rows by the first eight bytes of their values, and looks further only among ties.
///
/// Rows are never compared with each other: each level gives every row of a run of ties a number,
/// sorts the run by it, and goes on with the runs of ties in it (more bytes of a text, then the
/// next key). Rows equal in everything keep their order.
struct RowSorter {
    let keys: [SortKey]
    let view: TreeView
    let classID: ClassID
    var pace = EvaluationPace.untilDone

    /// Rows that are equal so far; in front of as many it asks whether to go on.
    private static let longRun = 256

    /// The rows in their order: all of them, or the first `limit`.
    func sort(_ rows: RowStream, limit: Int?) -> [RowKey] {
        if let limit, limit <= 0 { return [] }
        var buffer = SortBuffer(limit: limit)
        collect(rows, &buffer)
        if pace.isOver { return [] }
        let collected = buffer.keys
        var entries = buffer.takeEntries()
        SortEntry.sort(&entries[...])
        refine(&entries, 0..<entries.count, collected, limit: limit ?? .max, key: 0, depth: 0)
        return entries.prefix(limit ?? .max).map { collected[Int($0.row)] }
    }

    private func collect(_ rows: RowStream, _ buffer: inout SortBuffer) {
        let first = keys[0]
        if case .clusters = rows, let column = first.plainTextColumn {
            // The common case without a decision per row: texts of the row itself, never null.
            let flip: UInt64 = first.ascending ? 0 : .max
            rows.forEachMask(view, classID, pace) { cluster, mask in
                let chunk = cluster.strings(column)
                var mask = mask
                if let chunk, let bound = buffer.headBound {
                    let flip = UInt32(truncatingIfNeeded: flip)
                    TextHead.narrow(&mask, chunk, cluster.slotCount, upTo: bound, flip)
                }
                return mask.forEach { slot in
                    let digit = SortDigit(rank: 1, bits: (chunk?.prefix(slot) ?? 0) ^ flip)
                    if buffer.admits(digit) { buffer.append(digit, cluster.key(slot)) }
                    return true
                }
            }
            return
        }
        rows.forEachRow(view, classID, pace) { row in
            let digit = oriented(first.digit(row, view, depth: 0), first)
            if buffer.admits(digit) { buffer.append(digit, row.cluster.key(row.slot)) }
            return true
        }
    }

    private func oriented(_ digit: SortDigit, _ key: SortKey) -> SortDigit {
        key.ascending ? digit : SortDigit(rank: 2 - digit.rank, bits: ~digit.bits)
    }

    /// Goes on with the runs of ties in `range`, which is sorted by `key` up to `depth`.
    private func refine(
        _ entries: inout [SortEntry], _ range: Range<Int>, _ rows: [RowKey], limit: Int, key: Int,
        depth: Int
    ) {
        var start = range.lowerBound
        while start < range.upperBound, start < limit {
            let first = entries[start]
            var end = start + 1
            while end < range.upperBound, entries[end].ties(first) { end += 1 }
            if end - start > 1 {
                // The middle rank stays the middle one in descending order.
                let goesDeeper = first.rank == 1 && keys[key].hasMoreDigits(after: depth)
                let next = goesDeeper ? (key: key, depth: depth + 1) : (key: key + 1, depth: 0)
                if !goesDeeper, first.rank == 1, keys[key].isMixed {
                    sortMixed(&entries, start..<end, rows, limit: limit, key: key)
                } else if next.key < keys.count {
                    sortRun(&entries, start..<end, rows, limit, next.key, next.depth)
                }
            }
            start = end
        }
    }

    private func sortRun(
        _ entries: inout [SortEntry], _ run: Range<Int>, _ rows: [RowKey], _ limit: Int,
        _ key: Int, _ depth: Int
    ) {
        if run.count >= Self.longRun, pace.isOver { return }
        var cursor = RowCursor(view.classView(classID))
        for index in run {
            guard let row = cursor.locate(rows[Int(entries[index].row)]) else { continue }
            let digit = oriented(keys[key].digit(row, view, depth: depth), keys[key])
            entries[index].rank = digit.rank
            entries[index].bits = digit.bits
        }
        SortEntry.sort(&entries[run])
        refine(&entries, run, rows, limit: limit, key: key, depth: depth)
    }

    /// Values of mixed kinds have no digits: they are compared.
    private func sortMixed(
        _ entries: inout [SortEntry], _ run: Range<Int>, _ rows: [RowKey], limit: Int, key: Int
    ) {
        let path = keys[key].path
        let classView = view.classView(classID)
        var values = run.map { index -> (entry: SortEntry, value: StoredValue) in
            guard let row = classView.locate(rows[Int(entries[index].row)]) else {
                return (entries[index], .null)
            }
            return (entries[index], path.value(row.location, view) ?? .null)
        }
        let ascending = keys[key].ascending
        values.sort { a, b in
            if a.value < b.value { return ascending }
            if b.value < a.value { return !ascending }
            return a.entry.row < b.entry.row
        }
        // Equal values share a number, so that the next key finds its runs.
        var number: UInt64 = 0
        for (offset, element) in values.enumerated() {
            if offset > 0 {
                let previous = values[offset - 1].value
                if previous < element.value || element.value < previous { number += 1 }
            }
            entries[run.lowerBound + offset] = SortEntry(
                bits: number, row: element.entry.row, rank: 1)
        }
        var start = run.lowerBound
        while key + 1 < keys.count, start < run.upperBound {
            var end = start + 1
            while end < run.upperBound, entries[end].bits == entries[start].bits { end += 1 }
            if end - start > 1 { sortRun(&entries, start..<end, rows, limit, key + 1, 0) }
            start = end
        }
    }
}

/// Collects what is to be sorted. With a limit, rows that cannot be among the first are let go.
private struct SortBuffer {
    private(set) var keys: [RowKey] = []
    private var entries: [SortEntry] = []
    private let limit: Int?
    private let capacity: Int
    private var worst = SortDigit(rank: .max, bits: .max)

    init(limit: Int?) {
        self.limit = limit
        capacity = limit.map { $0 > Int.max / 8 ? .max : max(4096, $0 * 4) } ?? .max
    }

    /// What the first four bytes of a text must not be above, once there are enough rows.
    var headBound: UInt32? {
        worst.rank == 1 ? UInt32(truncatingIfNeeded: worst.bits &>> 32) : nil
    }

    @inline(__always)
    func admits(_ digit: SortDigit) -> Bool {
        digit.rank < worst.rank || (digit.rank == worst.rank && digit.bits <= worst.bits)
    }

    @inline(__always)
    mutating func append(_ digit: SortDigit, _ key: RowKey) {
        entries.append(
            SortEntry(
                bits: digit.bits, row: UInt32(truncatingIfNeeded: keys.count), rank: digit.rank))
        keys.append(key)
        if entries.count >= capacity { prune() }
    }

    private mutating func prune() {
        guard let limit else { return }
        SortEntry.sort(&entries[...])
        let last = entries[limit - 1]
        worst = SortDigit(rank: last.rank, bits: last.bits)
        // Ties with the last one stay: later keys decide between them.
        let kept = entries.prefix { !last.precedes($0) || $0.ties(last) }
        if kept.count < entries.count / 2 + limit { entries.removeSubrange(kept.count...) }
    }

    mutating func takeEntries() -> [SortEntry] {
        defer { entries = [] }
        return entries
    }
}
