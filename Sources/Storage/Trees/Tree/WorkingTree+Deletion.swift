/// The rows of one class that are to be deleted.
struct RowsToDelete {
    var keys: [RowKey] = []
    var set: RowSet

    init(expecting keys: [RowKey]) { set = RowSet(expecting: keys) }

    init(_ keys: [RowKey]) {
        self.keys = keys
        set = RowSet(keys)
    }
}

extension WorkingTree {
    /// Deletes rows: links to them become null, they are removed from lists and sets, map values
    /// become null, and embedded objects below them are deleted too. Missing keys are skipped.
    package func delete(_ id: ClassID, _ keys: [RowKey]) {
        flushPending()
        var deleted: [ClassID: RowsToDelete] = [:]
        collect(id, keys, &deleted)
        for (target, rows) in deleted {
            for link in schema.incoming(target) {
                nullify(link, rows, deleted: deleted[link.origin]?.set)
            }
        }
        for holder in schema.mixedHolders { dropMixedLinks(holder, deleted) }
        flushPending()
        forgetRecent()
        for (target, rows) in deleted { remove(target, rows) }
        forgetRecent()
    }

    /// Collects the rows to delete: the requested ones, and the embedded ones that they own,
    /// through chains of any length.
    private func collect(
        _ id: ClassID, _ keys: [RowKey], _ deleted: inout [ClassID: RowsToDelete]
    ) {
        var waiting = [(id: id, keys: keys)]
        while let next = waiting.popLast() { waiting += take(next.id, next.keys, &deleted) }
    }

    /// Collects rows of one class to delete; returns the embedded ones that they own directly.
    private func take(
        _ id: ClassID, _ keys: [RowKey], _ deleted: inout [ClassID: RowsToDelete]
    ) -> [(id: ClassID, keys: [RowKey])] {
        let owners = schema[id].columns.indices.filter { column in
            schema[id].columns[column].target.map { schema[$0].isEmbedded } ?? false
        }
        // Owners of embedded rows are attached, since their locations are used later.
        var cursor = RowCursor(flushedView.classView(id), attaching: !owners.isEmpty)
        var rows = deleted.removeValue(forKey: id) ?? RowsToDelete(expecting: keys)
        var fresh: [RowLocation] = []
        for key in keys {
            guard let location = cursor.locate(key), rows.set.insert(key) else { continue }
            rows.keys.append(key)
            if !owners.isEmpty { fresh.append(location) }
        }
        deleted[id] = rows
        var found: [(id: ClassID, keys: [RowKey])] = []
        for column in owners {
            let schema = schema[id].columns[column]
            guard let target = schema.target else { continue }
            var owned: [RowKey] = []
            for location in fresh {
                location.cluster.forEachLink(column, location.slot, schema) { owned.append($0) }
            }
            if !owned.isEmpty { found.append((target, owned)) }
        }
        return found
    }

    private func nullify(_ link: IncomingLink, _ rows: RowsToDelete, deleted: RowSet?) {
        let column = schema[link.origin].columns[link.column.rawValue]
        var origins: [RowKey] = []
        let view = flushedView
        for row in rows.keys {
            view.backlinks(to: row, origin: link.origin, column: link.column).forEach { origin in
                if deleted?.contains(origin) != true { origins.append(origin) }
            }
        }
        origins.sort()
        var last: RowKey?
        for origin in origins where origin != last {
            // One pass for all deleted targets, however many of them a list contains.
            last = origin
            if column.container == .none {
                writer(link.origin, origin)?.setNull(link.column.rawValue)
            } else {
                dropLinks(link.origin, origin, link.column) { rows.set.contains($0) }
            }
        }
    }

    /// Removes rows that nothing links to any more, with their index entries.
    private func remove(_ id: ClassID, _ rows: RowsToDelete) {
        if rows.keys.isEmpty { return }
        let state = states[id.rawValue]
        let count = flushedView.classView(id).count
        var keys = rows.keys
        let isAscending = zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 }
        if !isAscending { keys.sort() }
        if keys.count > 256 && keys.count > count / 8 {
            for column in state.indexedColumns {
                indexWriter(state, column).removeAll { rows.set.contains(RowKey($0.row)) }
            }
        } else {
            for key in keys { removeEntries(state, key) }
        }
        mark(state) { marks in
            for key in keys { marks.delete(key.rawValue) }
        }
        tree(state).remove(keys)
    }

    private func removeEntries(_ state: ClassState, _ key: RowKey) {
        if state.indexedColumns.isEmpty { return }
        let view = ClassView(root: uniqueRoot(state.id), id: state.id, schema: schema)
        guard let location = view.attach(key) else { return }
        for column in state.indexedColumns {
            let schema = state.schema.columns[column]
            if schema.kind == .link {
                location.cluster.forEachLink(column, location.slot, schema) {
                    removeBacklink(state, column, target: $0, origin: key)
                }
            } else {
                removeEntry(state, column, location, key)
            }
        }
    }

    /// Sets the next key of a class to `key`, which may be below keys that a transaction has used
    /// for rows that it deleted itself. The commit record does not contain these rows, so only the
    /// process that ran the transaction skips their keys. False if a row with such a key exists.
    func reclaimKeys(of id: ClassID, from key: RowKey) -> Bool {
        flushPending()
        var isFree = true
        flushedView.classView(id).root.forEachCluster(from: key.rawValue) { cluster in
            let slots = cluster.firstSlot(from: key)..<cluster.slotCount
            isFree = isFree && !slots.contains { cluster.isLive($0) }
        }
        guard isFree else { return false }
        noteReuse(of: id, from: key.rawValue, at: account.skipCapture())
        forgetRecent()
        tree(states[id.rawValue]).rewindKeys(to: key.rawValue)
        return true
    }

    /// Defers the deletion of rows to ``deleteDeferred()``: a record's links are all written first.
    func deferDeletion(_ id: ClassID, _ keys: [RowKey]) {
        if !keys.isEmpty { deferred[id] = keys }
    }

    /// Removes rows of a commit record, which has nullified the links to them already.
    func deleteDeferred() {
        if deferred.isEmpty { return }
        flushPending()
        forgetRecent()
        for (id, rows) in deferred { remove(id, RowsToDelete(rows)) }
        deferred = [:]
        forgetRecent()
    }
}
