/// Rows whose index entries are outdated, with the keys of these entries; nil for a row without an
/// entry.
struct MovedRows {
    private(set) var formerKeys: [Int64: UInt64?] = [:]

    mutating func note(_ row: RowKey, former: UInt64?) {
        // A row that was moved before still has its first entry.
        if formerKeys[row.rawValue] == nil { formerKeys[row.rawValue] = .some(former) }
    }
}

// Indexes of places. The parts of a place are written one by one, so the entry of a row is updated
// when the index is used, or the transaction ends.
extension WorkingTree {
    /// Removes the entry of a row from an index of several columns, one of which is about to be
    /// written. An index of places defers that.
    func removeCompositeEntry(
        _ state: ClassState, _ index: Int, _ location: RowLocation, _ key: RowKey
    ) {
        guard let places = PlaceColumns(state.schema.columns[index].parts) else {
            return removeEntry(state, index, location, key)
        }
        let former = PlaceKey.of(places.place(location.cluster, location.slot))
        notePlace(state, index, former, key)
    }

    /// Adds the entry of a row again, after ``removeCompositeEntry(_:_:_:_:)`` and the write.
    func addCompositeEntry(
        _ state: ClassState, _ index: Int, _ location: RowLocation, _ key: RowKey
    ) {
        if state.schema.columns[index].parts.isOfPlaces { return }
        insert(state, index, location, key)
    }

    /// Defers the entry of a row.
    func notePlace(_ state: ClassState, _ index: Int, _ former: UInt64?, _ key: RowKey) {
        state.moved[index, default: MovedRows()].note(key, former: former)
        state.hasPending = true
    }

    /// Updates the index entries of moved rows.
    func enterPlaces(_ state: ClassState, _ index: Int) {
        guard let moved = state.moved.removeValue(forKey: index),
            let places = PlaceColumns(state.schema.columns[index].parts)
        else { return }
        let rows = ClassView(root: uniqueRoot(state.id), id: state.id, schema: schema)
        let writer = indexWriter(state, index)
        for (row, former) in moved.formerKeys.sorted(by: { $0.key < $1.key }) {
            guard let location = rows.locate(RowKey(row)) else { continue }
            let key = PlaceKey.of(places.place(location.cluster, location.slot))
            if key == former { continue }
            if let former { writer.remove(IndexProbe(key: former), row: row) }
            addPending(state, index, IndexEntry(key: key, row: row))
        }
    }
}
