extension WorkingTree {
    /// Writes down everything that was put off: the open row and the pending index entries.
    func settle() {
        closeRow()
        for state in states where state.hasPending { flush(state) }
    }

    /// Adds the index entry that the row's value in `column` calls for.
    func addEntry(_ state: ClassState, _ key: RowKey, _ column: Int, _ location: RowLocation) {
        let (cluster, slot) = (location.cluster, location.slot)
        let schema = state.schema.columns[column]
        if schema.kind == .link {
            guard let target = cluster.link(column, slot) else { return }
            return addPending(
                state, column, IndexEntry(key: IndexKey.of(target), row: key.rawValue))
        }
        let entry = IndexEntry(
            key: indexKey(schema, column, location), row: key.rawValue)
        guard state.schema.primaryKey?.rawValue == column else {
            return addPending(state, column, entry)
        }
        if isAbovePrimaryKeys(state, column, entry.key) {
            return addPending(state, column, entry)
        }
        flush(state, column)
        insert(state, column, location, key)
    }

    func addPending(_ state: ClassState, _ column: Int, _ entry: IndexEntry) {
        state.pending[column].append(entry)
        state.hasPending = true
    }

    /// Whether a primary key is above all there are, so that it can wait for its place.
    private func isAbovePrimaryKeys(_ state: ClassState, _ column: Int, _ key: UInt64) -> Bool {
        if let last = state.pending[column].last { return key > last.key }
        guard case .exact = order(state, column) else { return false }
        guard let root = uniqueRoot(state.id).index(column).node else { return true }
        return key > IndexReader(root: root, order: .exact).lastKey
    }

    private func indexKey(_ schema: ColumnSchema, _ column: Int, _ location: RowLocation) -> UInt64
    {
        let (cluster, slot) = (location.cluster, location.slot)
        if schema.hasNullBits, cluster.isNull(column, slot) { return 0 }
        switch schema.kind {
        case .int, .link: return IndexKey.of(cluster.int(column, slot))
        case .string, .data: return IndexKey.of(cluster.bytes(column, slot))
        case .uuid: return cluster.uuid(column, slot).orderedBits.high
        case .date, .double: return IndexKey.of(cluster.double(column, slot))
        case .float: return IndexKey.of(Double(cluster.float(column, slot)))
        case .bool, .mixed: return IndexProbe.with(cluster.value(column, slot, schema)) { $0.key }
        }
    }

    func order(_ state: ClassState, _ column: Int) -> IndexOrder {
        let view = ClassView(root: uniqueRoot(state.id), id: state.id, schema: schema)
        return IndexOrder(view, column: column)
    }

    func indexWriter(_ state: ClassState, _ column: Int) -> IndexWriter {
        let root = uniqueRoot(state.id)
        return IndexWriter(
            slot: root.index(column), order: order(state, column), account: root.node.account)
    }

    /// Calls `body` with a probe for the row's own value.
    private func withProbe(
        _ state: ClassState, _ column: Int, _ location: RowLocation, _ body: (IndexProbe) -> Void
    ) {
        let schema = state.schema.columns[column]
        var probe = IndexProbe(key: indexKey(schema, column, location))
        let (cluster, slot) = (location.cluster, location.slot)
        probe.isNull = schema.hasNullBits && cluster.isNull(column, slot)
        if !probe.isNull {
            switch schema.kind {
            case .string, .data: probe.bytes = cluster.bytes(column, slot)
            case .uuid: probe.low = cluster.uuid(column, slot).orderedBits.low
            default: break
            }
        }
        body(probe)
    }

    /// Puts the row's value into the index at once.
    func insert(_ state: ClassState, _ column: Int, _ location: RowLocation, _ key: RowKey) {
        let writer = indexWriter(state, column)
        withProbe(state, column, location) { writer.insert($0, row: key.rawValue) }
    }

    /// Takes the row's present value out of the index.
    func removeEntry(_ state: ClassState, _ column: Int, _ location: RowLocation, _ key: RowKey) {
        flush(state, column)
        let writer = indexWriter(state, column)
        withProbe(state, column, location) { writer.remove($0, row: key.rawValue) }
    }

    /// Takes one backlink out.
    func removeBacklink(_ state: ClassState, _ column: Int, target: RowKey, origin: RowKey) {
        flush(state, column)
        indexWriter(state, column)
            .remove(IndexProbe(key: IndexKey.of(target)), row: origin.rawValue)
    }

    func addBacklink(_ state: ClassState, _ column: Int, target: RowKey, origin: RowKey) {
        addPending(
            state, column, IndexEntry(key: IndexKey.of(target), row: origin.rawValue))
    }

    private func flush(_ state: ClassState) {
        for column in state.indexedColumns { flush(state, column) }
        state.hasPending = false
    }

    /// Sorts the pending entries of one index into its tree.
    private func flush(_ state: ClassState, _ column: Int) {
        if state.pending[column].isEmpty { return }
        let writer = indexWriter(state, column)
        let view = ClassView(root: uniqueRoot(state.id), id: state.id, schema: schema)
        let order = writer.order
        let probe = { (entry: IndexEntry, body: (IndexProbe) -> Void) in
            if order.isExact { return body(IndexProbe(key: entry.key)) }
            guard let location = view.locate(RowKey(entry.row)) else { return }
            self.withProbe(state, column, location, body)
        }
        if state.pending[column].count > 1 {
            state.pending[column].sort { a, b in
                if a.key != b.key { return a.key < b.key }
                if order.isExact { return a.row < b.row }
                var tie = 0
                probe(a) { tie = order.compareTie($0, b.row) }
                return tie == 0 ? a.row < b.row : tie < 0
            }
        }
        writer.insert(sorted: state.pending[column], probe)
        state.pending[column].removeAll(keepingCapacity: state.pending[column].count < 4096)
    }
}

extension [IndexEntry] {
    /// The index of the entry with `key` among entries that ascend.
    func index(ofKey key: UInt64) -> Int? {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low].key == key ? low : nil
    }
}
