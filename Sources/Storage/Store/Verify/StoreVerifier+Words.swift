/// The consistency of full-text indexes with the texts of the rows.
extension StoreVerifier {
    /// Compares the index of the words in `column` with the rows.
    ///
    /// Entries that ascend strictly are all different; if each term of a text has one, and there
    /// are as many, there is no extra one.
    func compareWords(_ id: ClassID, _ column: Int) throws(CancellationError) {
        let view = snapshot.view.classView(id)
        let place = StoreProblem.Place(id, column)
        let before = tally.problemCount
        let root = view.root.indexRoot(column)
        var entries = 0
        var last: IndexEntry?
        if let root {
            try forEachEntry(root) { entry throws(CancellationError) in
                entries += 1
                try tally.advance(1)
                if let last, (last.key, last.row) >= (entry.key, entry.row) {
                    tally.note(
                        .order, place.at(row: RowKey(entry.row)), "index entries are out of order")
                }
                last = entry
            }
        }
        tally.counts.indexEntries += entries
        let reader = root.map { IndexReader(root: $0, order: .exact) }
        let hasNulls = view.classSchema.columns[column].hasNullBits
        var words = 0
        var clusters = view.makeClusterIterator()
        while let cluster = clusters.next() {
            for slot in 0..<cluster.slotCount where cluster.isLive(slot) {
                let row = cluster.key(slot).rawValue
                let keys = cluster.words(column, slot, hasNulls: hasNulls)
                words += keys.count
                if keys.contains(where: { !has($0, row, reader) }) {
                    tally.note(
                        .index, place.at(row: RowKey(row)), "the full-text index lacks a word")
                }
            }
            try tally.advance(0)
        }
        if entries != words, tally.problemCount == before {
            tally.note(
                .count, place, "the full-text index has \(entries) entries for \(words) words")
        }
    }

    private func has(_ key: UInt64, _ row: Int64, _ reader: IndexReader?) -> Bool {
        guard let reader else { return false }
        let rank = reader.rank(of: IndexProbe(key: key), row: row)
        guard rank < IndexReader.count(reader.root) else { return false }
        return IndexReader.entry(reader.root, rank) == IndexEntry(key: key, row: row)
    }
}
