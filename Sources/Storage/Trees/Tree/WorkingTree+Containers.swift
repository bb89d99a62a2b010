/// Lists, sets and maps of rows. Positions index the elements; values must fit the column.
extension WorkingTree {
    package func set(_ value: StoredValue, _ id: ClassID, _ key: RowKey, _ column: ColumnID) {
        writer(id, key)?.set(column.rawValue, value)
    }

    /// The location of a container, for one operation.
    private struct Place {
        let state: ClassState
        let key: RowKey
        let column: Int
        let schema: ColumnSchema
        let writer: RowWriter
        let sequence: SequenceWriter
    }

    private func place(_ id: ClassID, _ key: RowKey, _ column: ColumnID) -> Place? {
        closeRow()
        guard let writer = writer(id, key) else { return nil }
        let state = states[id.rawValue]
        let schema = state.schema.columns[column.rawValue]
        if state.isIndexPart(column.rawValue) {
            for index in state.composites(of: column.rawValue) {
                removeCompositeEntry(state, index, writer.location, key)
            }
        }
        let slot = writer.containerSlot(column.rawValue)
        return Place(
            state: state, key: key, column: column.rawValue, schema: schema, writer: writer,
            sequence: SequenceWriter(
                slot: slot, kind: schema.elementKind,
                account: writer.location.cluster.node.account))
    }

    private func note(_ place: Place, _ edit: (inout SequenceEdit) -> Void) {
        mark(place.state) { delta in
            if delta.isCreated(place.key.rawValue) { return }
            delta.touch(place.key.rawValue, place.column)
            let id = SequenceID(key: place.key, column: ColumnID(place.column))
            edit(&delta.edits[id, default: SequenceEdit()])
        }
    }

    private func link(_ place: Place, _ value: StoredValue) {
        if case .link(let target) = value {
            addBacklink(place.state, place.column, target: target, origin: place.key)
        } else {
            noteTargets(of: value, place.state)
        }
    }

    private func unlink(_ place: Place, _ value: StoredValue) {
        guard case .link(let target) = value else { return }
        removeBacklink(place.state, place.column, target: target, origin: place.key)
    }

    // MARK: Lists

    package func listInsert(
        _ value: StoredValue, at index: Int, _ id: ClassID, _ key: RowKey, _ column: ColumnID
    ) {
        guard let place = place(id, key, column) else { return }
        place.sequence.insert(value, at: index)
        link(place, value)
        note(place) { $0.insert(at: index) }
    }

    package func listAppend(
        contentsOf values: [StoredValue], _ id: ClassID, _ key: RowKey, _ column: ColumnID
    ) {
        guard let place = place(id, key, column) else { return }
        let start = place.sequence.view.count
        for (offset, value) in values.enumerated() {
            place.sequence.insert(value, at: start + offset)
            link(place, value)
        }
        note(place) { edit in
            for offset in values.indices { edit.insert(at: start + offset) }
        }
    }

    package func listSet(
        _ value: StoredValue, at index: Int, _ id: ClassID, _ key: RowKey, _ column: ColumnID
    ) {
        guard let place = place(id, key, column) else { return }
        unlink(place, place.sequence.view[index])
        place.sequence.set(value, at: index)
        link(place, value)
        note(place) { $0.set(at: index) }
    }

    package func listRemove(at index: Int, _ id: ClassID, _ key: RowKey, _ column: ColumnID) {
        guard let place = place(id, key, column) else { return }
        removeElement(place, at: index)
    }

    /// Removes the elements at positions that ascend.
    package func listRemove(
        at positions: [Int], _ id: ClassID, _ key: RowKey, _ column: ColumnID
    ) {
        guard !positions.isEmpty, let place = place(id, key, column) else { return }
        for index in positions.reversed() { dropElement(place, at: index) }
        note(place) { $0.remove(at: positions) }
    }

    private func removeElement(_ place: Place, at index: Int) {
        dropElement(place, at: index)
        note(place) { $0.remove(at: index) }
    }

    /// Removes an element; the caller marks the change.
    private func dropElement(_ place: Place, at index: Int) {
        unlink(place, place.sequence.view[index])
        place.sequence.remove(at: index)
    }

    package func listMove(
        from: Int, to: Int, _ id: ClassID, _ key: RowKey, _ column: ColumnID
    ) {
        guard let place = place(id, key, column) else { return }
        let value = place.sequence.view[from]
        place.sequence.remove(at: from)
        place.sequence.insert(value, at: to)
        note(place) {
            $0.remove(at: from)
            $0.insert(at: to)
        }
    }

    /// Exchanges the elements of each pair of positions, one pair after the other.
    package func listSwap(
        _ pairs: [(Int, Int)], _ id: ClassID, _ key: RowKey, _ column: ColumnID
    ) {
        guard !pairs.isEmpty, let place = place(id, key, column) else { return }
        for (a, b) in pairs {
            let (first, second) = (place.sequence.view[a], place.sequence.view[b])
            place.sequence.set(second, at: a)
            place.sequence.set(first, at: b)
        }
        let positions = pairs.flatMap { [$0, $1] }.sorted()
        note(place) { $0.set(at: positions) }
    }

    package func listRemoveAll(_ id: ClassID, _ key: RowKey, _ column: ColumnID) {
        guard let place = place(id, key, column) else { return }
        removeAll(place)
    }

    private func removeAll(_ place: Place) {
        let view = place.sequence.view
        let count = view.count
        if place.schema.kind == .link { view.forEach { unlink(place, $0) } }
        place.sequence.removeAll()
        note(place) { $0.removeAll(count: count) }
    }

    // MARK: Sets

    /// Adds `value`; false if it is contained already.
    package func setInsert(
        _ value: StoredValue, _ id: ClassID, _ key: RowKey, _ column: ColumnID
    ) -> Bool {
        guard let place = place(id, key, column) else { return false }
        let (index, found) = place.sequence.view.sortedIndex(of: value)
        if found { return false }
        place.sequence.insert(value, at: index)
        link(place, value)
        note(place) { $0.insert(at: index) }
        return true
    }

    /// Removes `value`; false if it is not contained.
    package func setRemove(
        _ value: StoredValue, _ id: ClassID, _ key: RowKey, _ column: ColumnID
    ) -> Bool {
        guard let place = place(id, key, column) else { return false }
        let (index, found) = place.sequence.view.sortedIndex(of: value)
        if found { removeElement(place, at: index) }
        return found
    }

    package func setRemoveAll(_ id: ClassID, _ key: RowKey, _ column: ColumnID) {
        listRemoveAll(id, key, column)
    }

    // MARK: Maps

    /// The two sequences of a map, for writing: empty ones if there is no map, or it cannot be
    /// read.
    private func map(_ place: Place) -> (keys: SequenceWriter, values: SequenceWriter) {
        let slot = place.sequence.slot
        let account = place.sequence.account
        let root: Node
        if let own = slot.uniqueNode(.map) {
            root = own
        } else {
            root = MapRoot.make(account)
            slot.put(root)
        }
        return (
            SequenceWriter(
                slot: root.slot(MapRoot.slotsOffset, 0), kind: .string, account: account),
            SequenceWriter(
                slot: root.slot(MapRoot.slotsOffset, 1), kind: place.schema.elementKind,
                account: account)
        )
    }

    package func mapSet(
        _ value: StoredValue, forKey entry: String, _ id: ClassID, _ key: RowKey,
        _ column: ColumnID
    ) {
        guard let place = place(id, key, column) else { return }
        let map = map(place)
        let (index, found) = map.keys.view.sortedIndex(of: .string(entry))
        if found {
            unlink(place, map.values.view[index])
            map.values.set(value, at: index)
            note(place) { $0.set(at: index) }
        } else {
            map.keys.insert(.string(entry), at: index)
            map.values.insert(value, at: index)
            note(place) { $0.insert(at: index) }
        }
        link(place, value)
    }

    /// Removes the entry under `entry`; false when there is none.
    package func mapRemove(
        forKey entry: String, _ id: ClassID, _ key: RowKey, _ column: ColumnID
    ) -> Bool {
        guard let place = place(id, key, column) else { return false }
        let map = map(place)
        let (index, found) = map.keys.view.sortedIndex(of: .string(entry))
        if found {
            unlink(place, map.values.view[index])
            map.keys.remove(at: index)
            map.values.remove(at: index)
            note(place) { $0.remove(at: index) }
        }
        return found
    }

    package func mapRemoveAll(_ id: ClassID, _ key: RowKey, _ column: ColumnID) {
        guard let place = place(id, key, column) else { return }
        let map = map(place)
        let count = map.keys.view.count
        if place.schema.kind == .link { map.values.view.forEach { unlink(place, $0) } }
        place.sequence.slot.replace(with: nil)
        note(place) { $0.removeAll(count: count) }
    }

    // MARK: Deleting objects

    /// Removes links to deleted rows from the container in `column` of one row, in one pass: list
    /// and set elements are removed, map values become null.
    func dropLinks(
        _ id: ClassID, _ key: RowKey, _ column: ColumnID, where isDeleted: (RowKey) -> Bool
    ) {
        guard let place = place(id, key, column) else { return }
        let isMap = place.schema.container == .map
        let values = isMap ? map(place).values : place.sequence
        // Leaf by leaf: for one deleted object, it would be slow to look up each element of a long
        // list.
        var removed: [Int] = []
        var index = 0
        values.view.forEachLink { target in
            if target.rawValue != Chunk.nullLink, isDeleted(target) { removed.append(index) }
            index += 1
        }
        if removed.isEmpty { return }
        for index in removed.reversed() {
            if isMap {
                unlink(place, values.view[index])
                values.set(.null, at: index)
            } else {
                dropElement(place, at: index)
            }
        }
        note(place) { edit in
            if isMap { edit.set(at: removed) } else { edit.remove(at: removed) }
        }
    }

    /// Replaces the elements of a container, in one pass. Those that become nil are removed from
    /// sets and lists of links; elsewhere they become null.
    func replaceElements(
        _ id: ClassID, _ key: RowKey, _ column: ColumnID,
        with replacement: (StoredValue) -> StoredValue?
    ) {
        guard let place = place(id, key, column) else { return }
        let values = place.schema.container == .map ? map(place).values : place.sequence
        let canHoldNull =
            switch place.schema.container {
            case .none, .set: false
            case .list: place.schema.kind != .link
            case .map: true
            }
        // From the last to the first, so that the indexes of the remaining ones stay valid.
        var (removed, changed): ([Int], [Int]) = ([], [])
        for index in (0..<values.view.count).reversed() {
            let value = values.view[index]
            let new = replacement(value)
            if new == nil, !canHoldNull {
                dropElement(place, at: index)
                removed.append(index)
            } else if new.map({ !$0.isStoredLike(value) }) ?? true {
                unlink(place, value)
                values.set(new ?? .null, at: index)
                changed.append(index)
            }
        }
        if removed.isEmpty, changed.isEmpty { return }
        note(place) { edit in
            for index in changed.reversed() { edit.set(at: index) }
            edit.remove(at: removed.reversed())
        }
    }

    // MARK: Recovery

    /// Applies an edit to a container: `values` are the new elements. With `marksChange`, the row
    /// is marked as changed, so that streams in this process report what another process has done.
    func apply(
        _ edit: SequenceEdit, _ id: ClassID, _ key: RowKey, _ column: ColumnID,
        keys: [String], values: [StoredValue], marksChange: Bool
    ) {
        guard let place = place(id, key, column) else { return }
        if marksChange { note(place) { $0.append(edit) } }
        let entries = place.schema.container == .map ? map(place) : nil
        let elements = entries?.values ?? place.sequence
        for index in edit.deletions.reversed() {
            unlink(place, elements.view[index])
            elements.remove(at: index)
            entries?.keys.remove(at: index)
        }
        var next = 0
        for index in edit.insertions {
            entries?.keys.insert(.string(keys[next]), at: index)
            elements.insert(values[next], at: index)
            link(place, values[next])
            next += 1
        }
        for index in edit.modifications {
            unlink(place, elements.view[index])
            elements.set(values[next], at: index)
            link(place, values[next])
            next += 1
        }
    }
}
