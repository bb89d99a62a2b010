/// Chooses how the rows of a query are found, from row counts and costs alone.
struct QueryPlanner: Sendable {
    /// The rows of the class.
    let total: Int
    /// The number of matching rows that are needed, in the order of their creation.
    var limit = Int.max

    /// Rows that an index names without a scan: all that match are among them.
    struct Candidate: Sendable, Equatable {
        let rows: Int
        /// Whether these are the rows that match, so that they need no check.
        let isExact: Bool
        /// Whether a scan would have to split texts into words.
        var isSearch = false
    }

    /// A scan reads columns one after another, an index rows here and there: where the index gives
    /// more than this share of the class, the scan is faster [1M rows, listing a quarter of them:
    /// 1.9 ms against 2.4 for integers, 6.9 for texts; at a half, 6.1 and 4.0 against 3.9 and 7.4].
    static let shareMax = 4
    /// The same where the rows have to be read as well, which soon touches most clusters [a 128th:
    /// 2.2 ms against 2.0 for two integers, 3.9 against 6.5 for a text and an integer].
    static let inexactShareMax = 128
    /// A walk in the order of an index that has to read rows here and there is abandoned after this
    /// share of the class: scanning and sorting takes about as long.
    static let walkShareMax = 64
    /// Rows that conditions on linked rows lead to are sought from those where they are no more
    /// than this share: each costs a search in the index of backlinks.
    static let targetShareMax = 64
    /// A class this many times smaller is filtered as a whole before a scan follows links to it.
    static let smallTargetShare = 8

    /// Whether listing these rows beats a scan.
    func isWorthwhile(_ candidate: Candidate) -> Bool {
        if candidate.isSearch { return true }
        let count = candidate.rows
        let share = candidate.isExact ? Self.shareMax : Self.inexactShareMax
        if count > total / share { return false }
        // If many rows match, a scan finds the first ones before an index has listed all of them.
        return count <= limit || Double(count) * Double(count) <= Double(total) * Double(limit)
    }

    /// The candidate with the fewest rows among those that beat a scan.
    func choice(_ candidates: [Candidate]) -> Int? {
        candidates.indices.lazy.filter { isWorthwhile(candidates[$0]) }
            .min { candidates[$0].rows < candidates[$1].rows }
    }

    /// The plan for an order that an index has.
    enum Order: Sendable, Equatable {
        /// The entries are walked, and the rows checked unless all of them match.
        case walk(evaluatesFilter: Bool)
        /// The same, abandoned for a scan and a sort after so many entries.
        case attempt(entries: Int)
        /// The rows are found in another way and sorted.
        case sort
    }

    /// The plan to sort rows in an order that an index has.
    ///
    /// - Parameter inOrder: the entries of that index which may match; nil without a condition.
    /// - Parameter others: what all indexes that serve the condition leave; not always asked for.
    func order(inOrder: Candidate?, others: @autoclosure () -> [Candidate]) -> Order {
        guard let inOrder else { return .walk(evaluatesFilter: false) }
        if inOrder.isExact { return .walk(evaluatesFilter: false) }
        if isWorthwhile(inOrder) { return .walk(evaluatesFilter: true) }
        // Another index may leave far fewer rows to sort than there are to walk.
        if choice(others()) != nil { return .sort }
        return .attempt(entries: total / Self.walkShareMax)
    }

    /// Whether following the backlinks of `found` rows of another class is worthwhile.
    func prefersBacklinkSeek(found: Int) -> Bool { found <= total / Self.targetShareMax }

    /// Whether a class is filtered as a whole before links to it are followed, for a condition that
    /// continues through so many nested collections: row by row, it would follow every path through
    /// them, whose number multiplies with each collection.
    func prefersTargetPrefilter(targets: Int, collectionDepth: Int) -> Bool {
        if isSmall(targets: targets) { return true }
        return collectionDepth >= (targets <= total ? 1 : Self.fewRowsDepthMax)
    }

    /// For few rows, this many more collections are traversed row by row.
    static let fewRowsDepthMax = 3

    /// Whether a class of `targets` rows is so small that filtering all of it first is cheaper than
    /// following links to it row by row.
    func isSmall(targets: Int) -> Bool { targets <= total / Self.smallTargetShare }
}
