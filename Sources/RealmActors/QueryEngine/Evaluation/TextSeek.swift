import Storage

/// A search that full-text indexes answer: in one property, or in several, where each word must
/// occur in one of them.
struct TextSeek: Sendable {
    private let columns: [ColumnID]
    private let search: TextSearch

    /// The search for a condition on texts of the rows themselves; nil when there is none.
    init?(_ expression: QueryExpression, schema: any QuerySchema, classID: ClassID) {
        guard case .fullText(let path, let others, let text) = expression, path.steps.count == 1,
            path.elements.isEmpty, path.quantifier != .none,
            let search = TextSearch(text), search.parts.contains(where: { !$0.isExcluded })
        else { return nil }
        var columns: [ColumnID] = []
        for name in path.steps + others {
            guard case .column(let column)? = schema.property(name, of: classID),
                schema.store[classID].columns[column.rawValue].isFullText
            else { return nil }
            if !columns.contains(column) { columns.append(column) }
        }
        self.columns = columns
        self.search = search
    }

    /// The rows that meet it, among others where it is not exact; nil where a version has no index
    /// with the words that this version of the library makes.
    func runs(_ rows: ClassView) -> IndexRuns? {
        guard rows.isSearchable(columns) else { return nil }
        let included = search.parts.lazy.filter { !$0.isExcluded }.flatMap(\.terms)
            .map { Postings(of: $0, in: columns, rows) }
            .sorted { $0.count < $1.count }
        let excluded = search.parts.filter(\.isExcluded)
        var isExact =
            included.allSatisfy(\.isExact) && !search.parts.contains(where: \.isSequence)
        if included.count == 1, excluded.isEmpty, included[0].isDistinct {
            // Nothing has to be listed.
            var runs = IndexRuns(column: columns[0], runs: included[0].ranges, isSearch: true)
            runs.isExact = isExact
            return runs
        }
        var found = FoundRows(included[0], rows)
        for other in included.dropFirst() { found.keep(true, other, rows) }
        for part in excluded {
            let postings = Postings(of: part.terms[0], in: columns, rows)
            if part.terms.count == 1, postings.isExact {
                found.keep(false, postings, rows)
            } else {
                isExact = false
            }
        }
        var runs = IndexRuns(columns[0], found: found)
        runs.isExact = isExact
        return runs
    }
}
