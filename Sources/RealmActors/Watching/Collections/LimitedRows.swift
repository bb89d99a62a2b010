import Storage

/// The first rows of the results of an ``IncrementalQuery``, and a few of those after them.
///
/// While the extra rows can replace the rows that leave, only the rows that a commit touched are
/// evaluated. Rows after the last known one are not kept.
struct LimitedRows {
    private let query: ResultsQuery
    private let limit: Int
    private let incremental: IncrementalQuery
    private var rows = KeyRope()
    /// Whether `rows` are all rows of the query.
    private var isWhole = false

    /// Nil when the query is not of this kind.
    init?(_ query: ResultsQuery) {
        guard case .limit(let limit)? = query.stages.last,
            limit < Int.max / 4,
            let incremental = IncrementalQuery(query.droppingLast)
        else { return nil }
        self.query = query.droppingLast
        self.limit = limit
        self.incremental = incremental
    }

    /// The rows of the query.
    var shown: KeyRope { rows.prefix(limit) }

    /// How many rows an evaluation keeps, which is also the maximum.
    private var capacity: Int { limit + max(8, limit / 2) }

    /// Evaluates the query.
    mutating func reset(in view: TreeView) {
        rows = KeyRope(query.adding(.limit(capacity)).evaluate(in: view))
        isWhole = rows.count < capacity
    }

    /// The change of the query's rows, without modifications; nil when the query must be evaluated
    /// again.
    mutating func update(_ marks: MergedMarks, in view: TreeView) -> PositionChange? {
        let total = view.classView(incremental.classID).count
        guard incremental.isQuicker(for: marks, among: total) else { return nil }
        let own = marks.classes[incremental.classID]
        let before = rows.count
        let update = IncrementalUpdate(rows, incremental, own, in: view, isPrefix: !isWhole)
        rows = update.rows
        if rows.count < limit, !isWhole { return nil }
        let change = update.change.prefix(limit, before: before, after: rows.count)
        if rows.count > capacity {
            isWhole = false
            rows.removeLast(rows.count - capacity)
        }
        return change
    }
}

extension PositionChange {
    /// The change of the first `limit` elements alone, without modifications.
    func prefix(_ limit: Int, before: Int, after: Int) -> PositionChange {
        var change = PositionChange(
            deletions: deletions.filter { $0 < limit }, insertions: insertions.filter { $0 < limit }
        )
        let stayed = min(before, limit) - change.deletions.count
        let needed = min(after, limit) - change.insertions.count
        // The remaining rows keep their order, so that the last ones leave the prefix, or the next
        // ones enter it.
        if stayed > needed {
            change.deletions.addLast(stayed - needed, below: min(before, limit))
        } else if needed > stayed {
            change.insertions.addLast(needed - stayed, below: min(after, limit))
        }
        return change
    }
}

extension [Int] {
    /// Adds to ascending numbers the last `added` ones below `end` that are not among them.
    fileprivate mutating func addLast(_ added: Int, below end: Int) {
        var rest = self[...]
        var number = end - 1
        for _ in 0..<added {
            while let last = rest.last, last == number {
                rest.removeLast()
                number -= 1
            }
            append(number)
            number -= 1
        }
        sort()
    }
}
