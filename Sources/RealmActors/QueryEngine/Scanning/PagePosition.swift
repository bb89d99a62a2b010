import Storage

/// A criterion of the order of rows.
enum PageCriterion: Sendable {
    case key(SortKey)
    /// The relevance of texts for a search, the most relevant first.
    case relevance(Relevance)
}

/// A position in an order: that of a row, which may have changed or been deleted since.
package struct PagePosition: Sendable {
    let criteria: [PageCriterion]
    /// The row's value for each criterion: a score for a search, nil where a link on the path was
    /// nil.
    private(set) var values: [StoredValue?]
    /// Decides among rows that are equal in everything, which are in the order of their creation.
    let row: RowKey
    /// The scores of rows in one version, at the positions of the searches among the criteria;
    /// empty until it is prepared for a version.
    private var scores: [RelevanceScores?] = []

    init(criteria: [PageCriterion], values: [StoredValue?], row: RowKey) {
        (self.criteria, self.values, self.row) = (criteria, values, row)
    }

    init(of row: RowLocation, by criteria: [PageCriterion], in view: TreeView) {
        let start = PagePosition(criteria: criteria, values: [], row: row.cluster.key(row.slot))
        self = start.prepared(in: view)
        for index in criteria.indices {
            let value = value(of: row, by: index, view)
            values.append(value)
        }
    }

    /// The keys of an order by keys alone; none where a search is part of the order.
    var keys: [SortKey] {
        let keys = criteria.compactMap { criterion -> SortKey? in
            if case .key(let key) = criterion { key } else { nil }
        }
        return keys.count == criteria.count ? keys : []
    }

    /// The same, prepared for many rows of one version: the words that are rare in it are
    /// determined once.
    func prepared(in view: TreeView, _ cancellation: EvaluationCancellation = .ignored)
        -> PagePosition
    {
        guard scores.isEmpty, criteria.contains(where: \.isRelevance) else { return self }
        var prepared = self
        prepared.scores = criteria.map { criterion in
            switch criterion {
            case .key: nil
            case .relevance(let relevance): RelevanceScores(relevance, view, cancellation)
            }
        }
        return prepared
    }

    /// Clears the bits of the rows of `cluster` that do not come after it.
    func narrow(_ mask: inout ClusterMask, _ cluster: Cluster, _ view: TreeView) {
        var position = prepared(in: view)
        mask.filter { position.precedes(RowLocation(cluster: cluster, slot: $0), view) }
    }

    private mutating func precedes(_ row: RowLocation, _ view: TreeView) -> Bool {
        for index in criteria.indices {
            let (mine, other) = (values[index], value(of: row, by: index, view))
            if Self.precedes(mine, other) { return criteria[index].ascending }
            if Self.precedes(other, mine) { return !criteria[index].ascending }
        }
        return self.row < row.cluster.key(row.slot)
    }

    /// The value of a row for one of the criteria.
    private mutating func value(
        of row: RowLocation, by index: Int, _ view: TreeView
    ) -> StoredValue? {
        switch criteria[index] {
        case .key(let key): return key.value(row, view)
        case .relevance: return (scores[index]?.score(row, view)).map { .double($0) }
        }
    }

    /// The ascending order of sorts: null, values, and what a broken link leads to.
    private static func precedes(_ a: StoredValue?, _ b: StoredValue?) -> Bool {
        guard let a else { return false }
        guard let b else { return true }
        return a.isNull || b.isNull ? a.isNull && !b.isNull : a < b
    }

    /// The first row that may lie after it, by its key.
    var firstKey: RowKey? { criteria.isEmpty ? RowKey(row.rawValue + 1) : nil }
}

extension PageCriterion {
    fileprivate var isRelevance: Bool { if case .relevance = self { true } else { false } }

    fileprivate var ascending: Bool {
        switch self {
        case .key(let key): key.ascending
        case .relevance: false
        }
    }
}
