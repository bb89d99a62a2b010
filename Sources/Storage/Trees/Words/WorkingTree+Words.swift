// Full-text indexes: an entry for each term of a text.
extension WorkingTree {
    /// The keys of the terms that the row has in `column`; none where it is null, or the index has
    /// the terms of another version.
    func words(_ state: ClassState, _ column: Int, _ location: RowLocation) -> [UInt64] {
        guard state.schema.columns[column].isSearchable else { return [] }
        return location.cluster.words(column, location.slot, hasNulls: state.hasNullBits(column))
    }

    /// Brings the index from the terms that a row had to those that it has.
    func replaceWords(
        _ old: [UInt64], _ state: ClassState, _ column: Int, _ location: RowLocation, _ key: RowKey
    ) {
        if dropsOutdated(state, column) { return }
        let new = words(state, column, location)
        if old == new { return }
        flush(state, column)
        let writer = indexWriter(state, column)
        var (next, row) = (new[...], key.rawValue)
        for word in old {
            while let first = next.first, first < word {
                writer.insert(IndexProbe(key: next.removeFirst()), row: row)
            }
            if next.first == word {
                next.removeFirst()
            } else {
                writer.remove(IndexProbe(key: word), row: row)
            }
        }
        for word in next { writer.insert(IndexProbe(key: word), row: row) }
    }

    /// Adds the entries of a row that has none.
    func addWords(_ state: ClassState, _ column: Int, _ location: RowLocation, _ key: RowKey) {
        for word in words(state, column, location) {
            addPending(state, column, IndexEntry(key: word, row: key.rawValue))
        }
        if state.pending[column].count >= pendingWordsMax { flushWords(state, column) }
    }

    /// Sorts many entries in before there are more: a text has one for each of its words. An index
    /// that has far more waits for an eighth of those, for which it is made anew.
    private func flushWords(_ state: ClassState, _ column: Int) {
        let present = uniqueRoot(state.id).indexRoot(column).map { IndexReader.count($0) } ?? 0
        if state.pending[column].count >= present / 8 { flush(state, column) }
    }

    /// Takes the entries of a row out.
    func removeWords(_ state: ClassState, _ column: Int, _ location: RowLocation, _ key: RowKey) {
        if dropsOutdated(state, column) { return }
        let writer = indexWriter(state, column)
        for word in words(state, column, location) {
            writer.remove(IndexProbe(key: word), row: key.rawValue)
        }
    }

    /// Empties an index that has the terms of another version: nobody keeps it up, and the words
    /// of texts that go would stay in the files. False for one that is kept up.
    private func dropsOutdated(_ state: ClassState, _ column: Int) -> Bool {
        if state.schema.columns[column].isSearchable { return false }
        let slot = uniqueRoot(state.id).index(column)
        if !slot.isEmpty { slot.replace(with: nil) }
        return true
    }
}

extension Cluster {
    /// The keys of the terms that a row has in a column of texts; none where it is null.
    func words(_ column: Int, _ slot: Int, hasNulls: Bool) -> [UInt64] {
        hasNulls && isNull(column, slot) ? [] : TermKey.keys(of: bytes(column, slot))
    }
}
