import Storage

/// The statistics of full-text indexes on the texts of a class.
struct TermStatistics {
    /// The different words of each text, of all texts.
    private(set) var entryCount = 0
    /// The number of rows with a term, by the keys of its entries.
    private(set) var rowCounts: [ClosedRange<UInt64>: Int] = [:]

    /// Where an index has the words of another version of the library, all texts are read, as far
    /// as `cancellation` allows.
    init(
        of terms: [TextSearch.Term], in texts: SearchedTexts, _ rows: ClassView,
        _ cancellation: EvaluationCancellation
    ) {
        let columns = texts.columns
        guard rows.isSearchable(columns) else {
            count(Set(terms.map(\.keys)), in: texts, rows, cancellation)
            return
        }
        entryCount = columns.reduce(0) { $0 + rows.range($1, keys: 0...UInt64.max).count }
        for term in terms where rowCounts[term.keys] == nil && !cancellation.isCancelled {
            rowCounts[term.keys] = Postings(of: term, in: columns, rows).rowCount(rows)
        }
    }

    /// Counts what the entries would be.
    private mutating func count(
        _ terms: Set<ClosedRange<UInt64>>, in texts: SearchedTexts, _ rows: ClassView,
        _ cancellation: EvaluationCancellation
    ) {
        var clusters = rows.makeClusterIterator()
        while let cluster = clusters.next(), !cancellation.isCancelled {
            for slot in 0..<cluster.slotCount where cluster.isLive(slot) {
                var words: [[UInt64]] = []
                _ = texts.forEach(cluster, slot) { words.append(TermKey.keys(of: $0)) }
                entryCount += words.reduce(0) { $0 + $1.count }
                for keys in terms {
                    let isThere = words.contains { text in text.contains { keys.contains($0) } }
                    if isThere { rowCounts[keys, default: 0] += 1 }
                }
            }
        }
    }
}

extension ClassView {
    /// Whether the full-text indexes of some properties find what this version of the library
    /// makes of texts.
    func isSearchable(_ columns: [ColumnID]) -> Bool {
        let schema = classSchema.columns
        return columns.allSatisfy { schema[$0.rawValue].isSearchable }
    }
}
