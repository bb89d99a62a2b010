/// The rows of one class that go.
struct Doomed {
    var keys: [RowKey] = []
    var set: RowSet

    init(expecting keys: [RowKey]) { set = RowSet(expecting: keys) }

    init(_ keys: [RowKey]) {
        self.keys = keys
        set = RowSet(keys)
    }
}

extension WorkingTree {
    /// Deletes rows: links to them become null, lists and sets lose them, map values become null,
    /// embedded objects below them go too. Keys that are not there are passed over.
    package func delete(_ id: ClassID, _ keys: [RowKey]) {
        settle()
        var doomed: [ClassID: Doomed] = [:]
        collect(id, keys, &doomed)
        for (target, rows) in doomed {
            for link in schema.incoming(target) {
                nullify(link, rows, doomed: doomed[link.origin]?.set)
            }
        }
        for holder in schema.mixedHolders { dropMixedLinks(holder, doomed) }
        settle()
        forgetRecent()
        for (target, rows) in doomed { remove(target, rows) }
        forgetRecent()
    }

    /// Rows that go: those asked for, and the embedded ones that they own, through chains of any
    /// length.
    private func collect(_ id: ClassID, _ keys: [RowKey], _ doomed: inout [ClassID: Doomed]) {
        var waiting = [(id: id, keys: keys)]
        while let next = waiting.popLast() { waiting += take(next.id, next.keys, &doomed) }
    }

    /// Rows of one class that go; returns the embedded ones that they own themselves.
    private func take(
        _ id: ClassID, _ keys: [RowKey], _ doomed: inout [ClassID: Doomed]
    ) -> [(id: ClassID, keys: [RowKey])] {
        let owners = schema[id].columns.indices.filter { column in
            schema[id].columns[column].target.map { schema[$0].isEmbedded } ?? false
        }
        // Whose embedded rows are looked for later stays where it is.
        var cursor = RowCursor(settledView.classView(id), attaching: !owners.isEmpty)
        var rows = doomed.removeValue(forKey: id) ?? Doomed(expecting: keys)
        var fresh: [RowLocation] = []
        for key in keys {
            guard let location = cursor.locate(key), rows.set.insert(key) else { continue }
            rows.keys.append(key)
            if !owners.isEmpty { fresh.append(location) }
        }
        doomed[id] = rows
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

    private func nullify(_ link: IncomingLink, _ rows: Doomed, doomed: RowSet?) {
        let column = schema[link.origin].columns[link.column.rawValue]
        var origins: [RowKey] = []
        let view = settledView
        for row in rows.keys {
            view.backlinks(to: row, origin: link.origin, column: link.column).forEach { origin in
                if doomed?.contains(origin) != true { origins.append(origin) }
            }
        }
        origins.sort()
        var last: RowKey?
        for origin in origins where origin != last {
            // One pass for all that goes, however much of it a list has.
            last = origin
            if column.container == .none {
                writer(link.origin, origin)?.setNull(link.column.rawValue)
            } else {
                dropLinks(link.origin, origin, link.column) { rows.set.contains($0) }
            }
        }
    }

    /// Removes rows that nothing links to any more, with their index entries.
    private func remove(_ id: ClassID, _ rows: Doomed) {
        if rows.keys.isEmpty { return }
        let state = states[id.rawValue]
        let count = settledView.classView(id).count
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

    /// Has the next row of a class get `key`, which is not above keys that rows had whose own
    /// transaction has deleted them. Its record does not tell of those, so that they are used up
    /// where it ran, and nowhere else: others give them to rows of theirs. False when a row is
    /// there.
    func takeBackKeys(of id: ClassID, from key: RowKey) -> Bool {
        settle()
        var isFree = true
        settledView.classView(id).root.forEachCluster(from: key.rawValue) { cluster in
            let slots = cluster.firstSlot(from: key)..<cluster.slotCount
            isFree = isFree && !slots.contains { cluster.isLive($0) }
        }
        guard isFree else { return false }
        forgetRecent()
        tree(states[id.rawValue]).goBack(to: key.rawValue)
        return true
    }

    /// Keeps rows to be removed by ``deleteDeferred()``: a record's links are all written first.
    func deferDeletion(_ id: ClassID, _ keys: [RowKey]) {
        if !keys.isEmpty { deferred[id] = keys }
    }

    /// Removes rows as a commit record says, which has nullified the links to them already.
    func deleteDeferred() {
        if deferred.isEmpty { return }
        settle()
        forgetRecent()
        for (id, rows) in deferred { remove(id, Doomed(rows)) }
        deferred = [:]
        forgetRecent()
    }
}
