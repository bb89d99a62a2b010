import Storage

/// Sorts rows by the first eight bytes of their values, and by more of them only among ties.
///
/// Rows are never compared with each other: each level gives every row of a run of ties a number,
/// sorts the run by it, and continues with the runs of ties in it (more bytes of a text, then the
/// next key). Rows equal in everything keep their order.
struct RowSorter {
    let keys: [SortKey]
    let view: TreeView
    let classID: ClassID
    var cancellation = EvaluationCancellation.ignored

    /// Rows that are equal so far; with as many of them, it checks for cancellation before sorting
    /// them.
    private static let longRun = 256

    /// The rows in their order: all of them, or the first `limit`.
    func sort(_ rows: RowStream, limit: Int?) -> [RowKey] {
        if let limit, limit <= 0 { return [] }
        var buffer = SortBuffer(limit: limit, isDecidedAtOnce: isDecidedAtOnce)
        collect(rows, &buffer)
        if cancellation.isCancelled { return [] }
        let collected = buffer.keys
        var entries = buffer.takeEntries()
        SortEntry.sort(&entries[...])
        let all = SortRun(range: entries.indices, key: 0, depth: 0)
        refine(&entries, all, collected, limit: limit ?? .max)
        return entries.prefix(limit ?? .max).map { collected[Int($0.row)] }
    }

    /// Whether rows whose first digits tie are equal in everything.
    private var isDecidedAtOnce: Bool {
        keys.count == 1 && !keys[0].isMixed && !keys[0].hasMoreDigits(after: 0)
    }

    private func collect(_ rows: RowStream, _ buffer: inout SortBuffer) {
        let first = keys[0]
        if case .clusters = rows, let column = first.plainTextColumn {
            // The common case without a decision per row: texts of the row itself, never null.
            let flip: UInt64 = first.ascending ? 0 : .max
            rows.forEachMask(view, classID, cancellation) { cluster, mask in
                let chunk = cluster.strings(column)
                var mask = mask
                if let chunk, let bound = buffer.headBound {
                    let flip = UInt32(truncatingIfNeeded: flip)
                    TextHead.narrow(&mask, chunk, cluster.slotCount, upTo: bound, flip)
                }
                return mask.forEach { slot in
                    let digit = SortDigit(rank: 1, bits: (chunk?.prefix(slot) ?? 0) ^ flip)
                    if buffer.admits(digit), buffer.append(digit, cluster.key(slot)) {
                        prune(&buffer)
                    }
                    return true
                }
            }
            return
        }
        rows.forEachRow(view, classID, cancellation) { row in
            let digit = oriented(first.digit(row, view, depth: 0), first)
            if buffer.admits(digit), buffer.append(digit, row.cluster.key(row.slot)) {
                prune(&buffer)
            }
            return true
        }
    }

    private func oriented(_ digit: SortDigit, _ key: SortKey) -> SortDigit {
        key.ascending ? digit : SortDigit(rank: 2 - digit.rank, bits: ~digit.bits)
    }

    /// Removes rows that cannot be among the first, even if many tie.
    private func prune(_ buffer: inout SortBuffer) {
        guard let ties = buffer.prune() else { return }
        let run = SortRun(range: ties, key: 0, depth: 0)
        buffer.prune(ties: ties) { entries, collected, limit in
            refine(&entries, run, collected, limit: limit)
        }
    }

    /// Sorts what ties within a run, as far as the first `limit` entries need it.
    ///
    /// The remaining runs are in a list, so that long texts and many keys take no additional stack.
    private func refine(
        _ entries: inout [SortEntry], _ sorted: SortRun, _ rows: [RowKey], limit: Int
    ) {
        var rest = [sorted]
        while let run = rest.popLast() {
            var start = run.range.lowerBound
            while start < run.range.upperBound, start < limit {
                var end = start + 1
                while end < run.range.upperBound, entries[end].ties(entries[start]) { end += 1 }
                if end - start > 1,
                    let next = following(run, start..<end, rank: entries[start].rank)
                {
                    if next.range.count >= Self.longRun, cancellation.isCancelled { return }
                    if next.isByValue {
                        sortByValue(&entries, next, rows)
                        rest.append(next)
                    } else {
                        rest.append(sortByDigit(&entries, next, rows))
                    }
                }
                start = end
            }
        }
    }

    /// By what entries are sorted next that tie in a run; nil where they are equal in everything.
    private func following(_ run: SortRun, _ ties: Range<Int>, rank: UInt8) -> SortRun? {
        // The middle rank stays the middle one in descending order.
        if rank == 1, !run.isByValue {
            if keys[run.key].hasMoreDigits(after: run.depth) {
                return SortRun(range: ties, key: run.key, depth: run.depth + 1)
            }
            if keys[run.key].isMixed {
                return SortRun(range: ties, key: run.key, depth: 0, isByValue: true)
            }
        }
        return run.key + 1 < keys.count ? SortRun(range: ties, key: run.key + 1, depth: 0) : nil
    }

    /// From this digit on, what texts have in common is found at once: long texts that are alike
    /// are read once, and not once for each of their digits.
    private static let commonPrefixDepth = 4

    /// Sorts a run by one digit of its values: the given one, or the first one after it in which
    /// they differ.
    private func sortByDigit(
        _ entries: inout [SortEntry], _ run: SortRun, _ rows: [RowKey]
    ) -> SortRun {
        let key = keys[run.key]
        var run = run
        var cursor = RowCursor(view.classView(classID))
        if run.depth >= Self.commonPrefixDepth {
            run.depth = max(run.depth, sharedDigits(entries[run.range], run, rows))
        }
        for index in run.range {
            guard let row = cursor.locate(rows[Int(entries[index].row)]) else { continue }
            let digit = oriented(key.digit(row, view, depth: run.depth), key)
            entries[index].rank = digit.rank
            entries[index].bits = digit.bits
        }
        SortEntry.sort(&entries[run.range])
        return run
    }

    /// The number of digits that all texts of a run have in common.
    private func sharedDigits(
        _ entries: ArraySlice<SortEntry>, _ run: SortRun, _ rows: [RowKey]
    ) -> Int {
        let (key, rowsOfClass) = (keys[run.key], view.classView(classID))
        guard let one = entries.first, let first = rowsOfClass.locate(rows[Int(one.row)]) else {
            return run.depth
        }
        var cursor = RowCursor(rowsOfClass)
        var shared = Int.max
        for entry in entries.dropFirst() {
            guard let row = cursor.locate(rows[Int(entry.row)]) else { continue }
            let common = key.withText(first.location, view) { a in
                key.withText(row, view) { b in
                    ByteOrder.commonPrefix(a, b, from: run.depth * 8)
                }
            }
            shared = min(shared, common)
            if shared < (run.depth + 1) * 8 { return run.depth }
        }
        return shared == .max ? run.depth : shared / 8
    }

    /// Values of mixed kinds have no digits: they are compared, and then numbered, equal ones
    /// alike.
    private func sortByValue(_ entries: inout [SortEntry], _ run: SortRun, _ rows: [RowKey]) {
        let key = keys[run.key]
        let classView = view.classView(classID)
        var values = run.range.map { index -> (entry: SortEntry, value: StoredValue) in
            guard let row = classView.locate(rows[Int(entries[index].row)]) else {
                return (entries[index], .null)
            }
            return (entries[index], key.value(row.location, view) ?? .null)
        }
        let ascending = key.ascending
        values.sort { a, b in
            if a.value < b.value { return ascending }
            if b.value < a.value { return !ascending }
            return a.entry.row < b.entry.row
        }
        var number: UInt64 = 0
        for (offset, element) in values.enumerated() {
            if offset > 0 {
                let previous = values[offset - 1].value
                if previous < element.value || element.value < previous { number += 1 }
            }
            entries[run.range.lowerBound + offset] = SortEntry(
                bits: number, row: element.entry.row, rank: 1)
        }
    }
}

/// Entries that are sorted by everything up to a digit of a key.
private struct SortRun {
    let range: Range<Int>
    let key: Int
    var depth: Int
    /// Whether they are sorted by the whole value of the key.
    var isByValue = false
}

/// Collects the rows to be sorted. With a limit, rows that cannot be among the first are dropped.
private struct SortBuffer {
    private(set) var keys: [RowKey] = []
    private var entries: [SortEntry] = []
    private let limit: Int?
    private let capacity: Int
    /// Whether rows that tie with the last one come after it.
    private let isDecidedAtOnce: Bool
    private var worst = SortDigit(rank: .max, bits: .max)

    init(limit: Int?, isDecidedAtOnce: Bool) {
        self.limit = limit
        self.isDecidedAtOnce = isDecidedAtOnce
        capacity = limit.map { $0 > Int.max / 8 ? .max : max(4096, $0 * 4) } ?? .max
    }

    /// The upper bound for the first four bytes of a text, once there are enough rows.
    var headBound: UInt32? {
        worst.rank == 1 ? UInt32(truncatingIfNeeded: worst.bits &>> 32) : nil
    }

    @inline(__always)
    func admits(_ digit: SortDigit) -> Bool {
        digit.rank < worst.rank
            || (digit.rank == worst.rank
                && (digit.bits < worst.bits || (digit.bits == worst.bits && !isDecidedAtOnce)))
    }

    /// Adds a row; true when it is time to drop some.
    @inline(__always)
    mutating func append(_ digit: SortDigit, _ key: RowKey) -> Bool {
        entries.append(
            SortEntry(
                bits: digit.bits, row: UInt32(truncatingIfNeeded: keys.count), rank: digit.rank))
        keys.append(key)
        return entries.count >= capacity
    }

    /// Evicts what follows the first `limit` by its first digit.
    ///
    /// - Returns: the rows that tie with the last one, if there are so many that they must be
    ///   sorted further to make room.
    mutating func prune() -> Range<Int>? {
        guard let limit else { return nil }
        SortEntry.sort(&entries[...])
        let last = entries[limit - 1]
        worst = SortDigit(rank: last.rank, bits: last.bits)
        var end = limit
        while end < entries.count, !isDecidedAtOnce, entries[end].ties(last) { end += 1 }
        entries.removeSubrange(end...)
        guard end > capacity / 2 else { return nil }
        var start = limit - 1
        while start > 0, entries[start - 1].ties(last) { start -= 1 }
        return start..<end
    }

    /// Keeps the first of those that tie, sorted by everything that is after their first digit.
    mutating func prune(
        ties: Range<Int>, _ refine: (inout [SortEntry], [RowKey], _ limit: Int) -> Void
    ) {
        guard let limit else { return }
        refine(&entries, keys, limit)
        entries.removeSubrange(limit...)
        for index in ties.lowerBound..<limit {
            entries[index].bits = worst.bits
            entries[index].rank = worst.rank
        }
    }

    mutating func takeEntries() -> [SortEntry] {
        defer { entries = [] }
        return entries
    }
}
