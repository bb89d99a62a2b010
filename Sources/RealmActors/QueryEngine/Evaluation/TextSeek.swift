import Storage

/// A search that the full-text index of a property answers.
struct TextSeek: Sendable {
    private let column: ColumnID
    private let search: TextSearch

    /// What a condition asks of a text of the rows themselves; nil when that is nothing.
    init?(_ expression: QueryExpression, schema: any QuerySchema, classID: ClassID) {
        guard case .fullText(let path, let text) = expression, path.steps.count == 1,
            path.elements.isEmpty, path.quantifier != .none,
            case .column(let column)? = schema.property(path.steps[0], of: classID),
            schema.store[classID].columns[column.rawValue].isFullText,
            let search = TextSearch(text), search.parts.contains(where: { !$0.isExcluded })
        else { return nil }
        self.column = column
        self.search = search
    }

    /// The entries of one term that is asked for.
    private struct Entries {
        let range: IndexRange
        let keys: ClosedRange<UInt64>
        let isExact: Bool

        var isOneTerm: Bool { keys.lowerBound == keys.upperBound }
    }

    /// The rows that meet it, among others where it is not exact.
    func runs(_ view: ClassView) -> IndexRuns {
        let included = search.parts.lazy.filter { !$0.isExcluded }.flatMap(\.terms)
            .map { entries($0, view) }
            .sorted { $0.range.count < $1.range.count }
        let excluded = search.parts.filter(\.isExcluded)
        var isExact =
            included.allSatisfy(\.isExact)
            && !search.parts.contains { $0.isPhrase && $0.terms.count > 1 }
        guard included.count > 1 || !excluded.isEmpty else {
            var runs = runs(included[0])
            runs.isExact = isExact
            return runs
        }
        var keys = runs(included[0]).keys()
        for other in included.dropFirst() { keep(true, other, &keys, view) }
        for part in excluded {
            let entries = entries(part.terms[0], view)
            if part.terms.count == 1, entries.isExact {
                keep(false, entries, &keys, view)
            } else {
                isExact = false
            }
        }
        var listed = IndexRuns(column, listed: keys)
        listed.isExact = isExact
        return listed
    }

    private func entries(_ term: TextSearch.Term, _ view: ClassView) -> Entries {
        let key = term.key
        let keys = term.isPrefix ? key.prefixKeys : key.bits...key.bits
        return Entries(
            range: view.range(column, keys: keys), keys: keys, isExact: key.isExact)
    }

    private func runs(_ entries: Entries) -> IndexRuns {
        IndexRuns(
            column: column, runs: [entries.range], mayRepeat: !entries.isOneTerm, isSearch: true)
    }

    /// From this many entries for each row on, looking rows up beats listing the entries.
    private static let lookUpMin = 16

    /// Keeps those rows that are among some entries, or those that are not.
    private func keep(
        _ isKept: Bool, _ entries: Entries, _ keys: inout [RowKey], _ view: ClassView
    ) {
        if keys.isEmpty || entries.range.count == 0 {
            if isKept { keys = [] }
            return
        }
        if entries.isOneTerm, entries.range.count / Self.lookUpMin > keys.count {
            let term = entries.keys.lowerBound
            keys.removeAll { view.contains(column, term: term, $0) != isKept }
            return
        }
        let others = runs(entries).keys()
        var next = 0
        keys.removeAll { key in
            while next < others.count, others[next] < key { next += 1 }
            return (next < others.count && others[next] == key) != isKept
        }
    }
}
