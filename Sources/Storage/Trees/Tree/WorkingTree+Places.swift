/// Rows that have to be entered in an index again, with the keys of their entries; nil for a row
/// that has none yet.
struct MovedRows {
    private(set) var formerKeys: [Int64: UInt64?] = [:]

    mutating func note(_ row: RowKey, former: UInt64?) {
        // A row that was moved before has the entry of then.
        if formerKeys[row.rawValue] == nil { formerKeys[row.rawValue] = .some(former) }
    }
}

// Indexes of places. What says a place is written in parts, so that a row is entered once it has
// all of them: when the index is asked for, or the transaction ends.
extension WorkingTree {
    /// Before a column is written that is in an index of several.
    func leave(_ state: ClassState, _ index: Int, _ location: RowLocation, _ key: RowKey) {
        guard let places = PlaceColumns(state.schema.columns[index].parts) else {
            return removeEntry(state, index, location, key)
        }
        let former = PlaceKey.of(places.place(location.cluster, location.slot))
        notePlace(state, index, former, key)
    }

    /// Behind ``leave(_:_:_:_:)``, when the column is written.
    func enter(_ state: ClassState, _ index: Int, _ location: RowLocation, _ key: RowKey) {
        if state.schema.columns[index].parts.isOfPlaces { return }
        insert(state, index, location, key)
    }

    /// Has a row entered later.
    func notePlace(_ state: ClassState, _ index: Int, _ former: UInt64?, _ key: RowKey) {
        state.moved[index, default: MovedRows()].note(key, former: former)
        state.hasPending = true
    }

    /// Brings the entries of rows to where they are now.
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
