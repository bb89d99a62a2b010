/// The tree that transactions edit: a copy-on-write copy of the newest version's root.
///
/// Not Sendable: one isolation at a time has it. Every operation keeps indexes, backlinks, counts
/// and the marks of the delta in step. What only this tree refers to is edited in place; what a
/// snapshot shares is copied first.
package final class WorkingTree {
    package private(set) var schema: StoreSchema
    /// Changes whenever a ``RowLocation`` taken before may no longer be current.
    package internal(set) var generation: UInt64 = 1 {
        didSet { watcher?.pointee = generation }
    }

    // Unsafe: a cell of the context that shows this tree, which sets it for as long as it does and
    // clears it before the cell goes. It follows ``generation``, so that a reader compares without
    // a call.
    private var watcher: UnsafeMutablePointer<UInt64>?

    /// Lets `cell` follow the generation, which becomes one that is above all the cell has had.
    package func watch(_ cell: UnsafeMutablePointer<UInt64>) {
        watcher = cell
        generation = max(generation, cell.pointee) + 1
    }

    /// Stops following the generation, and leaves one in `cell` that it has not had.
    package func unwatch(_ cell: UnsafeMutablePointer<UInt64>) {
        watcher = nil
        cell.pointee += 1
    }

    let account: NodeAccount
    // Safety: unchecked exclusivity is safe for what every written value touches. One isolation has
    // the tree, each access but those of the marks is one load or one store, and what changes the
    // marks calls nothing that looks at them.
    @exclusivity(unchecked) var delta: Delta
    /// Counts the changes to what the tree holds, but for those to a row that was created last and
    /// has not been looked at yet.
    @exclusivity(unchecked) package private(set) var changeCount: UInt64 = 0
    @exclusivity(unchecked) var states: [ClassState]
    /// Owns one count.
    @exclusivity(unchecked) private(set) var root: Node
    /// The row that was created last and may still have columns that nobody wrote.
    @exclusivity(unchecked) private var open: OpenRow?
    @exclusivity(unchecked) private var recent: RecentCluster?
    /// Memory that nodes take when more is to be spilled.
    @exclusivity(unchecked) var spillMark = Int.max

    /// How transactions spill, nil when they do not.
    var spilling: Spilling?
    /// What the running transaction has spilled.
    var spill: Spill?

    /// How often the tree was trimmed.
    var trims = 0

    /// As many words wait to be sorted into a full-text index that has few: 32 MB.
    var pendingWordsMax = 1 << 21

    /// Entries that came into unique indexes in the running transaction.
    @exclusivity(unchecked) var unchecked: [UncheckedEntry] = []

    /// Rows that a record deletes once all of it has been applied.
    var deferred: [ClassID: [RowKey]] = [:]

    private struct OpenRow {
        // Unowned: the tree has its states, and discards the row before it releases one.
        let state: Unmanaged<ClassState>
        let id: ClassID
        let key: RowKey
        let location: RowLocation
    }

    /// The cluster that was written last, which is the writer's own.
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

    /// The tree as it is at this moment, valid until the next change.
    package var view: TreeView {
        settle()
        return settledView
    }

    /// The tree without looking at what is pending.
    var settledView: TreeView { TreeView(root: root, schema: schema) }

    /// The row with `key`, valid until ``generation`` changes.
    package func locate(_ id: ClassID, _ key: RowKey) -> RowHold? {
        if isOpen(id, key) { closeRow() }
        return settledView.classView(id).locate(key)
    }

    /// The rows of a class without its pending index entries, valid until the next change.
    package func rows(_ id: ClassID) -> ClassView {
        closeRow()
        return settledView.classView(id)
    }

    /// The row whose primary key is `value`, without sorting in what is pending. O(log n).
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
        return settledView.classView(id).find(value)
    }

    package var hasChanges: Bool { !delta.isEmpty }

    // MARK: Versions

    /// The tree as it is now, to be kept: what it shares is copied before the next change.
    package func capture(version: Version, life: UInt64 = 0) -> SnapshotRoot {
        settle()
        recent = nil
        root.retain()
        return SnapshotRoot(
            root: root, version: version, life: life, schema: schema, account: account)
    }

    /// The tree as it is now, which is that of a version before `later`, with whose tree this one
    /// began.
    func capture(version: Version, life: UInt64, takenBackFrom later: SnapshotRoot) -> SnapshotRoot
    {
        settle()
        root.retain()
        return SnapshotRoot(
            root: root, version: version, life: life, schema: schema, account: account,
            takenBackFrom: later)
    }

    /// How often it went back.
    private(set) var resets = 0

    /// Goes back to `snapshot`, discarding every change since.
    package func reset(to snapshot: SnapshotRoot) {
        open = nil
        recent = nil
        generation += 1
        resets += 1
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

    /// Forgets which keys transactions that were rolled back have used: another process may use
    /// them.
    func forgetUnusedKeys() {
        for state in states { state.keyFloor = 0 }
    }

    /// Skips the keys that transactions used which were rolled back in `former`, the tree of the
    /// same store before it was reopened.
    func skipUnusedKeys(of former: WorkingTree) {
        for (state, before) in zip(states, former.states) {
            state.keyFloor = max(state.keyFloor, before.keyFloor)
        }
    }

    /// Ends a transaction: hands out its marks and begins with none.
    func takeDelta() -> Delta {
        settle()
        if !unchecked.isEmpty { unchecked.removeAll(keepingCapacity: unchecked.count < 4096) }
        var taken = Delta(classCount: schema.classes.count)
        swap(&taken, &delta)
        return taken
    }

    /// Goes on with a schema that continues the present one: more classes and columns, other names,
    /// other indexes. Before a transaction changes anything, or after it has sorted everything in;
    /// its marks are kept.
    package func adapt(to schema: StoreSchema) {
        settle()
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
        let floors = states.map(\.keyFloor)
        self.schema = schema
        states = Self.makeStates(schema)
        for (state, floor) in zip(states, floors) { state.keyFloor = floor }
    }

    // MARK: Roots

    private func peek(_ id: ClassID) -> ClassRoot {
        ClassRoot(node: StoreRoot.classRoot(root, id, schema).unsafelyUnwrapped)
    }

    /// The root of a class, made the writer's own.
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
        // It cannot be read, and nothing that this transaction does will be kept.
        let empty = ClassRoot.make(
            columns: schema[id].columns.count, account: .passUnretained(account))
        slot.put(empty.node)
        return empty
    }

    /// The root, made the writer's own but not about to be edited.
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

    /// The key that the next row gets: one that nothing had before, even if it was rolled back.
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
        // A new cluster can stand where the one before did, should that have been rewritten.
        if location.slot == 0 || location.cluster != before { generation += 1 }
        recent = RecentCluster(
            state: .passUnretained(state), id: state.id, cluster: location.cluster)
        open = OpenRow(
            state: .passUnretained(state), id: state.id, key: key, location: location)
    }

    /// Gives the last created row the zeros it lacks, and its index entries.
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
            // What is only on disk stayed there when the row was made, because it cannot be read.
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

    /// A writer for the row with `key`, nil when there is none. Valid until the next call that
    /// creates, deletes or looks for another row to write.
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

    /// A writer for a row that is not in the cluster that was written last.
    private func writerElsewhere(_ id: ClassID, _ key: RowKey) -> RowWriter? {
        let state = states[id.rawValue]
        let root = peek(id)
        let wasResident = root.hasResidentCluster(for: key.rawValue)
        guard let before = root.cluster(for: key.rawValue), before.slot(of: key) != nil,
            let cluster = tree(state).uniqueCluster(for: key.rawValue),
            let slot = cluster.slot(of: key)
        else { return nil }
        // Readers may hold another copy of a cluster that was only on disk.
        if cluster != before || !wasResident { generation += 1 }
        recent = RecentCluster(state: .passUnretained(state), id: id, cluster: cluster)
        return RowWriter(
            tree: self, state: .passUnretained(state), key: key,
            location: RowLocation(cluster: cluster, slot: slot))
    }

    /// Forgets which cluster was written last, because clusters are about to go.
    func forgetRecent() {
        recent = nil
        generation += 1
    }
}
