import Storage

/// The first rows of a collection that a ``RowRule`` defines, and a few of those after them.
///
/// As long as the further rows suffice for what leaves, a commit is judged by the rows that it
/// touched. It knows the first rows only: what would follow its last one is not kept.
struct LimitedRows {
    private let query: ResultsQuery
    private let limit: Int
    private let rule: RowRule
    private var rows = KeyRope()
    /// Whether there are no rows but these.
    private var isWhole = false

    /// Nil when the query is not of this kind.
    init?(_ query: ResultsQuery) {
        guard case .limit(let limit)? = query.stages.last,
            limit < Int.max / 4,
            let rule = RowRule(query.droppingLast)
        else { return nil }
        self.query = query.droppingLast
        self.limit = limit
        self.rule = rule
    }

    /// The rows of the query.
    var shown: KeyRope { rows.prefix(limit) }

    /// How many rows are known after an evaluation, and at most.
    private var capacity: Int { limit + max(8, limit / 2) }

    /// Evaluates the query.
    mutating func reset(in view: TreeView) {
        rows = KeyRope(query.adding(.limit(capacity)).evaluate(in: view))
        isWhole = rows.count < capacity
    }

    /// The change of the query's rows, without modifications; nil when it has to be evaluated
    /// again.
    mutating func increment(_ marks: MergedMarks, in view: TreeView) -> PositionChange? {
        let total = view.classView(rule.classID).count
        guard rule.isQuicker(for: marks, among: total) else { return nil }
        let own = marks.classes[rule.classID]
        let before = rows.count
        let increment = RowIncrement(rows, rule, own, in: view, isPrefix: !isWhole)
        rows = increment.rows
        if rows.count < limit, !isWhole { return nil }
        let change = increment.change.prefix(limit, before: before, after: rows.count)
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
        // What stays keeps its order, so that the last ones are pushed out, or the next ones come.
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
