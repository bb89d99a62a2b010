/// The tree that transactions edit: a copy-on-write copy of the newest version's root.
///
/// Not Sendable: one isolation at a time uses it. Every operation keeps indexes, backlinks, counts
/// and the marks of the delta consistent. Nodes that only this tree refers to are edited in place;
/// nodes that a snapshot shares are copied first.
package final class WorkingTree {
    package private(set) var schema: StoreSchema
    /// Changes whenever a ``RowLocation`` taken before may no longer be current.
    package internal(set) var generation: UInt64 = 1 {
        didSet { watcher?.pointee = generation }
    }

    // Unsafe: a cell of the context that shows this tree, which clears this before it frees the
    // cell. It mirrors ``generation``, so that a reader compares without a call.
    private var watcher: UnsafeMutablePointer<UInt64>?

    /// Mirrors the generation in `cell`, after raising it above all values that the cell has had.
    package func watch(_ cell: UnsafeMutablePointer<UInt64>) {
        watcher = cell
        generation = max(generation, cell.pointee) + 1
    }

    /// Stops mirroring the generation, and leaves a value in `cell` that it has not had.
    package func unwatch(_ cell: UnsafeMutablePointer<UInt64>) {
        watcher = nil
        cell.pointee += 1
    }

    let account: NodeAccount
    // Safety: unchecked exclusivity is safe for the properties that each written value accesses.
    // One isolation uses the tree, accesses are single loads or stores, and code that changes the
    // marks calls nothing that reads them.
    @exclusivity(unchecked) var delta: Delta
    /// Counts the changes of contents, except those to the newest row before it is first read.
    @exclusivity(unchecked) package private(set) var changeCount: UInt64 = 0
    @exclusivity(unchecked) var states: [ClassState]
    /// Owns one count.
    @exclusivity(unchecked) private(set) var root: Node
    /// The row that was created last, which may still have unwritten columns.
    @exclusivity(unchecked) private var open: OpenRow?
    @exclusivity(unchecked) private var recent: RecentCluster?
    /// The memory of nodes at which the transaction spills again.
    @exclusivity(unchecked) var spillMark = Int.max

    /// How transactions spill, nil when they do not.
    var spilling: Spilling?
    /// The spill of the running transaction.
    var spill: Spill?
    // Safe as above: each access is a load or a store.
    /// The error of a spill, which prevents the running transaction from being committed.
    @exclusivity(unchecked) var spillRefusal: StorageError?

    /// How often the tree was trimmed.
    var trims = 0

    /// The maximum number of words pending for a small full-text index: 32 MB.
    var pendingWordsMax = 1 << 21

    /// Entries that the running transaction has added to unique indexes.
    @exclusivity(unchecked) var unchecked: [UncheckedEntry] = []

    /// Rows that a record deletes after all of it was applied.
    var deferred: [ClassID: [RowKey]] = [:]

    private struct OpenRow {
        // Unowned: the tree retains its states, and resets this before it releases one.
        let state: Unmanaged<ClassState>
        let id: ClassID
        let key: RowKey
        let location: RowLocation
    }

    /// The cluster that was written last, which is uniquely owned.
    private struct RecentCluster {
        // Unowned: as above.
        let state: Unmanaged<ClassState>
        let id: ClassID
        let cluster: Cluster
    }

    /// An empty tree.
    package init(schema: StoreSchema, account: NodeAccount) {
        self.schema = schema
        self.account = account
        root = StoreRoot.make(schema, account: .passUnretained(account))
        delta = Delta(classCount: schema.classes.count)
        states = Self.makeStates(schema)
    }

    /// A tree that starts from a snapshot.
    package init(_ snapshot: SnapshotRoot) {
        schema = snapshot.schema
        account = snapshot.account
        root = snapshot.root
        root.retain()
        delta = Delta(classCount: schema.classes.count)
        states = Self.makeStates(snapshot.schema)
    }

    deinit { root.release() }

    private static func makeStates(_ schema: StoreSchema) -> [ClassState] {
        schema.classes.enumerated().map { ClassState(id: ClassID($0), schema: $1) }
    }

    // MARK: Reading

    /// The current tree, valid until the next change.
    package var view: TreeView {
        flushPending()
        return flushedView
    }

    /// The tree without pending changes.
    var flushedView: TreeView { TreeView(root: root, schema: schema) }

    /// The row with `key`, valid until ``generation`` changes.
    package func locate(_ id: ClassID, _ key: RowKey) -> RowHold? {
        if isOpen(id, key) { closeRow() }
        return flushedView.classView(id).locate(key)
    }

    /// The rows of a class without its pending index entries, valid until the next change.
    package func rows(_ id: ClassID) -> ClassView {
        closeRow()
        return flushedView.classView(id)
    }

    /// The row whose primary key is `value`, without flushing pending entries. O(log n).
    package func find(_ id: ClassID, primaryKey value: StoredValue) -> RowKey? {
        closeRow()
        let state = states[id.rawValue]
        guard let column = state.schema.primaryKey?.rawValue else { return nil }
        if state.hasPending {
            switch findPending(state, column, value) {
            case .found(let key): return key
            case .absent: return nil
            case .unknown: break
            }
        }
        return flushedView.classView(id).find(value)
    }

    package var hasChanges: Bool { !delta.isEmpty }

    // MARK: Versions

    /// A snapshot of the current tree: shared nodes are copied before the next change.
    package func capture(version: Version, life: UInt64 = 0) -> SnapshotRoot {
        flushPending()
        recent = nil
        root.retain()
        return SnapshotRoot(
            root: root, version: version, life: life, schema: schema, account: account)
    }

    /// A snapshot of a past version: this tree began as that of `later`, and was rewound.
    func capture(version: Version, life: UInt64, rewoundFrom later: SnapshotRoot) -> SnapshotRoot {
        flushPending()
        root.retain()
        return SnapshotRoot(
            root: root, version: version, life: life, schema: schema, account: account,
            rewoundFrom: later)
    }

    /// How often it was reset to a tree that may lack relocated nodes.
    private(set) var resets = 0

    /// Rolls back to `snapshot`. With `keepsRelocated`, that has all relocated nodes.
    package func reset(to snapshot: SnapshotRoot, keepsRelocated: Bool = false) {
        open = nil
        recent = nil
        generation += 1
        if !keepsRelocated { resets += 1 }
        for state in states {
            let next = peek(state.id).nextKey
            state.keyFloor = max(state.keyFloor, next)
            state.dropPending()
        }
        unchecked = []
        snapshot.root.retain()
        root.release()
        root = snapshot.root
        if schema !== snapshot.schema { adopt(snapshot.schema) }
        delta = Delta(classCount: schema.classes.count)
    }

    /// Ends a transaction: returns its marks, and clears them.
    func takeDelta() -> Delta {
        flushPending()
        if !unchecked.isEmpty { unchecked.removeAll(keepingCapacity: unchecked.count < 4096) }
        var taken = Delta(classCount: schema.classes.count)
        swap(&taken, &delta)
        return taken
    }

    /// Switches to a schema that extends the current one: more classes and columns, other names,
    /// other indexes. Called before a transaction changes anything, or after a flush; marks are
    /// kept.
    package func adapt(to schema: StoreSchema) {
        flushPending()
        let old = root
        root = StoreRoot.widened(old, self.schema, to: schema)
        old.release()
        recent = nil
        generation += 1
        let before = self.schema
        adopt(schema)
        dropIndexes(lackingFrom: before)
        buildIndexes(addedTo: before)
        delta.grow(to: schema)
    }

    private func adopt(_ schema: StoreSchema) {
        let floors = keyFloors
        self.schema = schema
        states = Self.makeStates(schema)
        keyFloors = floors
    }

    // MARK: Roots

    private func peek(_ id: ClassID) -> ClassRoot {
        ClassRoot(node: StoreRoot.classRoot(root, id, schema).unsafelyUnwrapped)
    }

    /// The root of a class, copied if it is shared.
    func uniqueRoot(_ id: ClassID) -> ClassRoot {
        if !root.isUnique {
            let copy = root.clone()
            root.release()
            root = copy
        } else {
            root.forgetPlace()
        }
        let slot = root.slot(StoreRoot.slotsOffset, id.rawValue)
        if let node = slot.uniqueNode(.classRoot(schema[id].columns.count)) {
            return ClassRoot(node: node)
        }
        // It cannot be read, so this transaction will not be committed.
        let empty = ClassRoot.make(
            columns: schema[id].columns.count, account: .passUnretained(account))
        slot.put(empty.node)
        return empty
    }

    /// The root, copied if it is shared, but not about to be edited.
    func rootAsIs() -> Node {
        if !root.isUnique {
            let copy = root.cloneAsIs()
            root.release()
            root = copy
        }
        return root
    }

    func tree(_ state: ClassState) -> ClassTree {
        ClassTree(root: uniqueRoot(state.id), schema: state.schema)
    }

    /// Marks `column` of a row as written.
    func touch(_ state: ClassState, _ key: RowKey, _ column: Int) {
        mark(state) { $0.touch(key.rawValue, column) }
    }

    @inline(__always)
    func mark<R>(_ state: ClassState, _ body: (inout ClassDelta) -> R) -> R {
        changeCount &+= 1
        return delta.update(
            state.id, columns: state.schema.columns.count,
            nextKey: { nextRow(state).rawValue }, body)
    }

    // MARK: Rows

    /// Appends a row whose values are zero, null or empty.
    @discardableResult
    package func createRow(_ id: ClassID) -> RowKey {
        closeRow()
        if account.byteCount > spillMark { spillFilled() }
        let state = states[id.rawValue]
        let key = nextRow(state)
        create(state, key)
        return key
    }

    /// The key of the next row, which was never used before, not even by a rolled back transaction.
    func nextRow(_ state: ClassState) -> RowKey {
        RowKey(max(peek(state.id).nextKey, state.keyFloor))
    }

    /// The key that is above those of all rows of a class.
    func nextKey(_ id: ClassID) -> Int64 { peek(id).nextKey }

    /// Appends a row with a key that is above every key of its class.
    func create(_ state: ClassState, _ key: RowKey) {
        closeRow()
        mark(state) { $0.create(key.rawValue) }
        let tree = tree(state)
        let before = tree.root.newestCluster
        let location = tree.append(key.rawValue)
        tree.root.nextKey = key.rawValue + 1
        // A new cluster can have the address of the previous one, if that was rewritten.
        if location.slot == 0 || location.cluster != before { generation += 1 }
        recent = RecentCluster(
            state: .passUnretained(state), id: state.id, cluster: location.cluster)
        open = OpenRow(
            state: .passUnretained(state), id: state.id, key: key, location: location)
    }

    /// Completes the last created row: fills unwritten columns with zeros, and adds index entries.
    @inline(__always)
    func closeRow() {
        if let row = open { close(row) }
    }

    private func close(_ row: OpenRow) {
        open = nil
        let state = row.state.takeUnretainedValue()
        let (cluster, slot) = (row.location.cluster, row.location.slot)
        let account = cluster.node.account
        for column in 0..<cluster.columnCount {
            let cell = cluster.cell(column)
            // A chunk that is still only on disk could not be read when the row was created.
            guard let node = cell.resident, Chunk(node: node).used <= slot else { continue }
            ChunkCell(
                slot: cell, shape: state.schema.columns[column].chunkShape, count: slot,
                account: account
            ).align(to: slot + 1, nullable: state.hasNullBits(column))
        }
        for column in state.indexedColumns
        where state.schema.columns[column].container == .none {
            addEntry(state, row.key, column, row.location)
        }
    }

    @inline(__always)
    func isOpen(_ id: ClassID, _ key: RowKey) -> Bool {
        guard let open else { return false }
        return open.key == key && open.id == id
    }

    /// A writer for the row with `key`, nil if there is none. Valid until the next call that
    /// creates, deletes or looks up a row to write.
    package func writer(_ id: ClassID, _ key: RowKey) -> RowWriter? {
        if let open, open.key == key, open.id == id {
            return RowWriter(tree: self, state: open.state, key: key, location: open.location)
        }
        closeRow()
        if let recent, recent.id == id, let slot = recent.cluster.slot(of: key) {
            return RowWriter(
                tree: self, state: recent.state, key: key,
                location: RowLocation(cluster: recent.cluster, slot: slot))
        }
        return writerElsewhere(id, key)
    }

    /// A writer for a row outside of the cluster that was written last.
    private func writerElsewhere(_ id: ClassID, _ key: RowKey) -> RowWriter? {
        let state = states[id.rawValue]
        let root = peek(id)
        let wasResident = root.hasResidentCluster(for: key.rawValue)
        guard let before = root.cluster(for: key.rawValue), before.slot(of: key) != nil,
            let cluster = tree(state).uniqueCluster(for: key.rawValue),
            let slot = cluster.slot(of: key)
        else { return nil }
        // Readers may hold another copy of a cluster that was not resident.
        if cluster != before || !wasResident { generation += 1 }
        recent = RecentCluster(state: .passUnretained(state), id: id, cluster: cluster)
        return RowWriter(
            tree: self, state: .passUnretained(state), key: key,
            location: RowLocation(cluster: cluster, slot: slot))
    }

    /// Clears the cluster that was written last, because clusters will be released.
    func forgetRecent() {
        recent = nil
        generation += 1
    }
}
