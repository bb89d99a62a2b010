// Full-text indexes: an entry for each term of a text.
extension WorkingTree {
    /// The keys of the terms of the row in `column`; none if it is null, or if the index has terms
    /// of another version.
    func words(_ state: ClassState, _ column: Int, _ location: RowLocation) -> [UInt64] {
        guard state.schema.columns[column].isSearchable else { return [] }
        return location.cluster.words(column, location.slot, hasNulls: state.hasNullBits(column))
    }

    /// Updates the index from the former terms of a row to the current ones.
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

    /// Adds the entries of a row without any.
    func addWords(_ state: ClassState, _ column: Int, _ location: RowLocation, _ key: RowKey) {
        for word in words(state, column, location) {
            addPending(state, column, IndexEntry(key: word, row: key.rawValue))
        }
        if state.pending[column].count >= pendingWordsMax { flushWords(state, column) }
    }

    /// Merges pending entries early, since each text has one per word. A much larger index waits
    /// for an eighth of its size, with which it is rebuilt.
    private func flushWords(_ state: ClassState, _ column: Int) {
        let present = uniqueRoot(state.id).indexRoot(column).map { IndexReader.count($0) } ?? 0
        if state.pending[column].count >= present / 8 { flush(state, column) }
    }

    /// Removes the entries of a row.
    func removeWords(_ state: ClassState, _ column: Int, _ location: RowLocation, _ key: RowKey) {
        if dropsOutdated(state, column) { return }
        let writer = indexWriter(state, column)
        for word in words(state, column, location) {
            writer.remove(IndexProbe(key: word), row: key.rawValue)
        }
    }

    /// Clears an index with the terms of another version: it is not maintained, and words of
    /// deleted texts would stay in the files. False for a maintained index.
    private func dropsOutdated(_ state: ClassState, _ column: Int) -> Bool {
        if state.schema.columns[column].isSearchable { return false }
        let slot = uniqueRoot(state.id).index(column)
        if !slot.isEmpty { slot.replace(with: nil) }
        return true
    }
}

extension Cluster {
    /// The keys of the terms of a row in a column of texts; none if it is null.
    func words(_ column: Int, _ slot: Int, hasNulls: Bool) -> [UInt64] {
        hasNulls && isNull(column, slot) ? [] : TermKey.keys(of: bytes(column, slot))
    }
}
