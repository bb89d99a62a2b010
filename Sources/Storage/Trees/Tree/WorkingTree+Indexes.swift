extension WorkingTree {
    /// Writes all deferred changes to the tree: the open row and the pending index entries.
    func flushPending() {
        closeRow()
        for state in states where state.hasPending { flush(state) }
    }

    /// Adds the index entry of the row's value in `column`.
    func addEntry(_ state: ClassState, _ key: RowKey, _ column: Int, _ location: RowLocation) {
        let (cluster, slot) = (location.cluster, location.slot)
        let schema = state.schema.columns[column]
        if schema.kind == .link {
            guard let target = cluster.link(column, slot) else { return }
            return addPending(
                state, column, IndexEntry(key: IndexKey.of(target), row: key.rawValue))
        }
        if schema.isFullText { return addWords(state, column, location, key) }
        if schema.parts.isOfPlaces { return notePlace(state, column, nil, key) }
        if schema.isComposite { return addComposite(state, column, location, key) }
        let probe = probe(state, column, location)
        let entry = IndexEntry(key: probe.key, row: key.rawValue)
        guard state.schema.primaryKey?.rawValue == column else {
            return addPending(state, column, entry)
        }
        if state.pendingKeys == nil, isAbovePrimaryKeys(state, column, entry.key) {
            return addPending(state, column, entry)
        }
        if addOutOfOrder(state, column, entry) { return }
        flush(state, column)
        insert(state, column, location, key)
    }

    /// From this many on, primary keys out of order are merged in batches.
    private static let outOfOrderMin = 32

    /// Defers a primary key to be merged with others; false if it must be inserted now.
    private func addOutOfOrder(_ state: ClassState, _ column: Int, _ entry: IndexEntry) -> Bool {
        if state.pendingKeys == nil {
            state.keysOutOfOrder += 1
            if state.keysOutOfOrder <= Self.outOfOrderMin { return false }
            state.pendingKeys = Dictionary(
                state.pending[column].map { ($0.key, $0.row) }, uniquingKeysWith: { a, _ in a })
        }
        // Two values may have the same key: only one of them is in the table.
        guard state.pendingKeys?[entry.key] == nil else { return false }
        state.pendingKeys?[entry.key] = entry.row
        addPending(state, column, entry)
        return true
    }

    /// The state of a value among the pending primary keys.
    enum PendingKey {
        case found(RowKey)
        /// Neither pending nor in the tree.
        case absent
        case unknown
    }

    /// Looks up a primary key among the pending ones.
    func findPending(_ state: ClassState, _ column: Int, _ value: StoredValue) -> PendingKey {
        let pending = state.pending[column]
        guard let last = pending.last else { return .unknown }
        let order = order(state, column)
        let kind = state.schema.columns[column].kind
        guard order.column.canHold(value) else { return .absent }
        return IndexProbe.with(value, in: kind) { probe in
            if let keys = state.pendingKeys {
                guard let row = keys[probe.key], order.compareTie(probe, row) == 0 else {
                    return .unknown
                }
                return .found(RowKey(row))
            }
            // Pending keys ascend and are above every key of the tree.
            if probe.key > last.key { return .absent }
            return pending.index(ofKey: probe.key).map { .found(RowKey(pending[$0].row)) }
                ?? .unknown
        }
    }

    func addPending(_ state: ClassState, _ column: Int, _ entry: IndexEntry) {
        state.pending[column].append(entry)
        state.hasPending = true
    }

    /// Whether a primary key is above all existing ones, so that its insertion can be deferred.
    private func isAbovePrimaryKeys(_ state: ClassState, _ column: Int, _ key: UInt64) -> Bool {
        if let last = state.pending[column].last { return key > last.key }
        guard order(state, column).isExact else { return false }
        guard let root = uniqueRoot(state.id).indexRoot(column) else { return true }
        return key > IndexReader(root: root, order: .exact).lastKey
    }

    func order(_ state: ClassState, _ column: Int) -> IndexOrder {
        IndexOrder(uniqueRoot(state.id), state.schema.columns[column], column: column)
    }

    func indexWriter(_ state: ClassState, _ column: Int) -> IndexWriter {
        let root = uniqueRoot(state.id)
        return IndexWriter(
            slot: root.index(column), order: order(state, column), account: root.node.account)
    }

    /// The probe for the row's own value. Valid until the row changes.
    private func probe(
        _ state: ClassState, _ column: Int, _ location: RowLocation
    ) -> IndexProbe {
        IndexProbe(
            location.cluster, location.slot, column, state.schema.columns[column].kind,
            hasNulls: state.hasNullBits(column))
    }

    /// Inserts the row's value into the index directly.
    func insert(_ state: ClassState, _ column: Int, _ location: RowLocation, _ key: RowKey) {
        noteUnchecked(state, column, key)
        let writer = indexWriter(state, column)
        writer.order.withProbe(location.cluster, location.slot) {
            writer.insert($0, row: key.rawValue)
        }
    }

    /// Removes the row's current value from the index.
    func removeEntry(_ state: ClassState, _ column: Int, _ location: RowLocation, _ key: RowKey) {
        flush(state, column)
        if state.schema.columns[column].isFullText {
            return removeWords(state, column, location, key)
        }
        let writer = indexWriter(state, column)
        writer.order.withProbe(location.cluster, location.slot) {
            _ = writer.remove($0, row: key.rawValue)
        }
    }

    /// Defers the entry of an index of several columns.
    private func addComposite(
        _ state: ClassState, _ column: Int, _ location: RowLocation, _ row: RowKey
    ) {
        noteUnchecked(state, column, row)
        let key = CompositeKey.withBytes(
            of: location.cluster, location.slot, state.schema.columns[column].parts
        ) { IndexKey.of($0) }
        addPending(state, column, IndexEntry(key: key, row: row.rawValue))
    }

    /// Defers the uniqueness check of a row to the end of the transaction.
    private func noteUnchecked(_ state: ClassState, _ column: Int, _ row: RowKey) {
        guard state.schema.columns[column].parts.isUnique else { return }
        unchecked.append(UncheckedEntry(id: state.id, column: column, row: row))
    }

    /// Removes one backlink.
    func removeBacklink(_ state: ClassState, _ column: Int, target: RowKey, origin: RowKey) {
        flush(state, column)
        indexWriter(state, column)
            .remove(IndexProbe(key: IndexKey.of(target)), row: origin.rawValue)
    }

    func addBacklink(_ state: ClassState, _ column: Int, target: RowKey, origin: RowKey) {
        addPending(
            state, column, IndexEntry(key: IndexKey.of(target), row: origin.rawValue))
    }

    /// Clears the indexes that only `before` has.
    func dropIndexes(lackingFrom before: StoreSchema) {
        for (state, old) in zip(states, before.classes) {
            for (column, schema) in old.columns.enumerated()
            where schema.hasOwnIndex && !schema.hasSameIndex(as: state.schema.columns[column]) {
                uniqueRoot(state.id).index(column).replace(with: nil)
            }
        }
    }

    /// Builds the indexes that `before` lacks.
    func buildIndexes(addedTo before: StoreSchema) {
        for (state, old) in zip(states, before.classes) {
            let added = state.indexedColumns.filter { column in
                let schema = state.schema.columns[column]
                return schema.hasOwnIndex
                    && (column >= old.columns.count
                        || !old.columns[column].hasSameIndex(as: schema))
            }
            if added.isEmpty { continue }
            // The root must be uniquely owned before the rows are enumerated, since pending words
            // may be flushed meanwhile.
            let rows = ClassView(root: uniqueRoot(state.id), id: state.id, schema: schema)
            var clusters = rows.makeClusterIterator()
            while let cluster = clusters.next() {
                for slot in 0..<cluster.slotCount where cluster.isLive(slot) {
                    let location = RowLocation(cluster: cluster, slot: slot)
                    for column in added {
                        addBuilt(state, column, location, cluster.key(slot))
                    }
                }
            }
            flush(state)
        }
    }

    /// Defers the entry of an existing row while an index is built; not of a link.
    func addBuilt(
        _ state: ClassState, _ column: Int, _ location: RowLocation, _ row: RowKey
    ) {
        if state.schema.columns[column].isFullText {
            return addWords(state, column, location, row)
        }
        if state.schema.columns[column].parts.isOfPlaces {
            return notePlace(state, column, nil, row)
        }
        if state.schema.columns[column].isComposite {
            return addComposite(state, column, location, row)
        }
        let key = probe(state, column, location).key
        addPending(state, column, IndexEntry(key: key, row: row.rawValue))
    }

    private func flush(_ state: ClassState) {
        for column in state.indexedColumns { flush(state, column) }
        state.hasPending = false
    }

    /// Merges the pending entries of one index into its tree.
    func flush(_ state: ClassState, _ column: Int) {
        if !state.moved.isEmpty { enterPlaces(state, column) }
        if state.pending[column].isEmpty { return }
        if state.schema.primaryKey?.rawValue == column { state.pendingKeys = nil }
        let writer = indexWriter(state, column)
        let order = writer.order
        let probe = { (entry: IndexEntry, body: (IndexProbe) -> Void) in
            if !order.isAmbiguous(entry.key) { return body(IndexProbe(key: entry.key)) }
            order.withProbe(entry.row, body)
        }
        state.pending[column].sort(exact: { !order.isAmbiguous($0) }) { a, b in
            var tie = 0
            probe(a) { tie = order.compareTie($0, b.row) }
            return tie
        }
        writer.insert(sorted: state.pending[column], probe)
        state.pending[column].removeAll(keepingCapacity: state.pending[column].count < 4096)
    }
}
