package import Storage

// Safety: unchecked exclusivity is safe for the fields that every use of an object reads: each
// access is one load or one store of a field, in the isolation of the context.

/// The state that the live objects of one transaction or one live realm share: the tree that they
/// read, and whether they may write.
///
/// Confined to the transaction's body or the live realm's actor.
@usableFromInline
package final class LiveContext: AccessContext {
    let home: any ContextStore
    /// The engine of the present write; nil outside one.
    private var writingEngine: TransactionEngine?
    /// The engine of the present write, or of the next.
    var engine: TransactionEngine { writingEngine ?? home.engine }
    /// The tree of the running write, nil outside one.
    @exclusivity(unchecked) package private(set) var tree: WorkingTree?
    // Unowned: the same tree, for hot paths where a retain would cost as much as the work.
    @exclusivity(unchecked) private(set) var borrowedTree: Unmanaged<WorkingTree>?
    /// The version that a live realm shows outside a write.
    private(set) var shown: FrozenContext?
    /// Whether the context, and so every object of it, is invalidated.
    @exclusivity(unchecked) package private(set) var isInvalidated = false
    /// Whether the running write accepts changes.
    @exclusivity(unchecked) package private(set) var isWritable = false
    /// Commits of this realm that are not durable yet, and so not shown.
    var pendingCommits = 0
    private(set) var refusal: RealmError?
    /// Whether the write that ran last was rolled back.
    private(set) var isCancelled = false
    /// Observed properties that the running write had changed before it was rolled back, kept until
    /// it ends.
    private var reverted: [ObservedProperty] = []
    /// The rows of writes that were rolled back, and those that a write has both created and
    /// deleted; nil before the first.
    @exclusivity(unchecked) private var rolledBack: RolledBackRows?
    /// Gives the contexts from before `invalidate()` access to the present one; nil if there are
    /// none.
    private var present: PresentContext?
    /// Whether the realm is advancing to another version, and its observers are being notified.
    private(set) var isMoving = false
    // Accessors retain nodes of earlier versions, which need their accounts.
    /// The accounts of earlier versions, from before the store was reopened.
    private var formerAccounts: [NodeAccount] = []
    // Unsafe: allocated and freed with this context. Accessors, which keep the context, read it; in
    // a write the tree lets it follow its own generation.
    package let current: UnsafeMutablePointer<UInt64>

    /// Whether the running write was rolled back, so that assignments are void until it ends.
    @usableFromInline
    package var ignoresAssignments: Bool { isCancelled && tree != nil }

    /// The context of a transaction, whose body has begun. A migration has models of its own.
    init(writingIn home: any ContextStore, _ engine: TransactionEngine, _ models: ModelMap) {
        self.home = home
        current = Self.makeCell()
        super.init(models: models)
        enterWrite(engine)
    }

    deinit { current.deallocate() }

    // Unsafe: initialized here, owned by the context that is being made, which frees it.
    private static func makeCell() -> UnsafeMutablePointer<UInt64> {
        let cell = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)
        cell.initialize(to: 1)
        return cell
    }

    /// The context of a live realm, which shows the newest version.
    init(liveIn home: any ContextStore) {
        self.home = home
        current = Self.makeCell()
        shown = Self.newest(home)
        super.init(models: home.models)
        observation = ObservationHub()
    }

    /// A context without objects, for a class that the realm of `other` was opened without.
    init(without absent: AbsentClass, _ other: LiveContext) {
        home = other.home
        current = Self.makeCell()
        shown = FrozenContext((other.shown ?? Self.newest(home)).handle, without: absent)
        super.init(models: absent.models, absence: absent.error)
    }

    private static func newest(_ home: any ContextStore) -> FrozenContext {
        FrozenContext(SnapshotHandle(home, label: nil))
    }

    /// Changes whenever a located row may have moved.
    package var generation: UInt64 { current.pointee }

    package override var view: TreeView {
        if let tree { return tree.view }
        guard let shown else { return home.emptyView }
        return shown.view
    }

    /// Identifies the present state: while it is equal, values that were read are current.
    var moment: LiveMoment {
        guard let tree else { return LiveMoment(generation: generation, changes: 0, root: 0) }
        // Before the counts, because it sorts pending entries into the tree.
        let root = tree.view.identity
        return LiveMoment(generation: generation, changes: tree.changeCount, root: root)
    }

    /// Whether a write runs, whose tree is shown.
    package var isInWrite: Bool { borrowedTree != nil }

    /// The published version that is shown, nil inside a write.
    package var root: SnapshotRoot? { tree == nil ? shown?.root : nil }

    /// Notes an error of an assignment, which cannot throw: the write will throw it and roll back.
    package func refuse(_ error: RealmError) { refusal = refusal ?? error }

    /// The state of this moment as an immutable version, also inside a write.
    func captured() -> FrozenContext {
        if tree != nil { return FrozenContext(SnapshotHandle(home, root: engine.captureBody())) }
        return shown ?? Self.newest(home)
    }

    /// Throws the error of a refused assignment.
    func throwRefusal() throws(RealmError) {
        if let refusal { throw refusal }
    }

    /// Releases the tree of a transaction or a migration; everything made from it is invalidated.
    func abandon() {
        leaveWrite()
        isInvalidated = true
    }

    // MARK: Writes

    /// Begins to show and change the working tree: a body has begun.
    func enterWrite(_ engine: TransactionEngine) {
        writingEngine = engine
        let tree = engine.tree
        tree.watch(current)
        self.tree = tree
        borrowedTree = .passUnretained(tree)
        isWritable = true
        refusal = nil
        isCancelled = false
    }

    /// Rolls back the write; the body may still read.
    func cancel() {
        guard isWritable else { return }
        isCancelled = true
        isWritable = false
        rollBack(tree?.writtenRows)
    }

    /// What the running write has created and deleted so far; nil in a transaction, all of whose
    /// objects end with it.
    var writtenRows: WrittenRows? { shown == nil ? nil : tree?.writtenRows }

    /// Rolls back the changes of the write, and notifies their observers. The accessors of the rows
    /// of `written` are invalidated.
    func rollBack(_ written: WrittenRows?) {
        if let observation, observation.isWatched, let tree, let shown {
            let comparison = ObservedComparison(
                before: tree.view, after: shown.view, models: models)
            reverted += observation.willMove(comparison)
        }
        engine.rollBack()
        invalidateAccessors(written, before: generation)
    }

    /// Permanently invalidates the accessors that were made before `generation` for rows of
    /// `written`, which the rolled back write had created or deleted.
    private func invalidateAccessors(_ written: WrittenRows?, before generation: UInt64) {
        guard let written, !isInvalidated else { return }
        let rolledBack = rolledBack ?? RolledBackRows()
        for (id, first) in written.created {
            // A lower next key is that of earlier writes that were rolled back as well.
            rolledBack.noteCreated(id, from: min(first, rows(id).nextKey), at: generation)
        }
        for (id, keys) in written.deleted { rolledBack.noteDeleted(id, keys, at: generation) }
        rolledBack.sweep { rows($0) }
        self.rolledBack = rolledBack
    }

    /// Permanently invalidates the accessors of rows of `written` that the write, whose commit was
    /// encoded, has created and deleted again. The log does not contain these rows, so that another
    /// process may use their keys.
    func invalidateDeletedCreations(_ written: WrittenRows?) {
        guard let written else { return }
        for (id, first) in written.created {
            let rows = rows(id)
            let next = rows.nextKey
            var free = next.rawValue
            // The keys before a row that exists are not used again.
            while free > first.rawValue, rows.locate(RowKey(free - 1)) == nil { free -= 1 }
            if free >= next.rawValue { continue }
            let rolledBack = rolledBack ?? RolledBackRows()
            // Accessors located in this write have at most the present generation.
            rolledBack.noteCreated(id, from: RowKey(free), at: generation + 1)
            self.rolledBack = rolledBack
        }
        rolledBack?.sweep { rows($0) }
    }

    /// Whether a row that was located at `generation` was created or deleted by a write that was
    /// rolled back since, or was both created and deleted by one write.
    func hasRolledBack(_ id: ClassID, _ key: RowKey, since generation: UInt64) -> Bool {
        rolledBack?.contains(id, key, since: generation) ?? false
    }

    /// Whether a row that was located at `generation` was created by a write that was rolled back
    /// since, or has deleted the row itself.
    func hasLostCreation(_ id: ClassID, _ key: RowKey, since generation: UInt64) -> Bool {
        rolledBack?.containsCreated(id, key, since: generation) ?? false
    }

    /// The state that the running write shows, for ``rollBackCommit(_:_:before:)``; nil when
    /// nothing is observed.
    func observedRoot() -> SnapshotRoot? {
        guard let observation, observation.isWatched, isInWrite else { return nil }
        return engine.captureBody()
    }

    /// Rolls back a write that ended at `generation`, because its commit has failed: notifies the
    /// observers of its changes, and invalidates the accessors of the rows of `written`.
    func rollBackCommit(
        _ observed: SnapshotRoot?, _ written: WrittenRows?, before generation: UInt64
    ) {
        invalidateAccessors(written, before: generation)
        guard let observed, let observation, let shown else { return }
        let comparison = ObservedComparison(
            before: observed.view, after: shown.view, models: models)
        observation.didMove(observation.willMove(comparison))
    }

    /// Stops showing the working tree: a live realm shows its previous version again.
    func leaveWrite() {
        tree?.unwatch(current)
        borrowedTree = nil
        tree = nil
        writingEngine = nil
        isWritable = false
        let notified = reverted
        reverted = []
        observation?.didMove(notified)
    }

    // MARK: Versions

    /// Whether a row that was not found may come with a commit of this realm that is not durable
    /// yet. Never in a write, which begins when the outcome of every earlier commit is known.
    var awaitsCommit: Bool { pendingCommits > 0 && !isInWrite }

    /// Whether a row that was not found may be in a node that could not be read. A write in which
    /// that happens is rolled back.
    func cannotRead(_ id: ClassID, _ key: RowKey) -> Bool {
        let account = shown?.root.account ?? store.account
        let failures = account.failureCount
        return locate(id, key) != nil || account.failureCount != failures
    }

    /// Shows another version, and notifies the observers of properties that differ. Observers may
    /// request another move, which does nothing, or invalidate the realm.
    func move(to next: FrozenContext) {
        guard let old = shown else {
            shown = next
            return
        }
        // Keep the present context if the version is the same: its handle knows since when nodes
        // could not be read.
        if old.root === next.root || isMoving { return }
        isMoving = true
        defer { isMoving = false }
        var affected: [ObservedProperty] = []
        if let observation, observation.isWatched {
            let comparison = ObservedComparison(
                before: old.view, after: next.view, models: models)
            affected = observation.willMove(comparison)
        }
        if !isInvalidated {
            if old.root.account !== next.root.account { formerAccounts.append(old.root.account) }
            shown = next
            current.pointee += 1
        }
        observation?.didMove(affected)
    }

    /// Shows a version that this realm made and that is durable now, unless a newer one is shown.
    /// Returns whether it advanced.
    @discardableResult
    func advance(to root: SnapshotRoot) -> Bool {
        guard !isInWrite, let shown, root.moment.isNewer(than: shown.root.moment) else {
            return false
        }
        move(to: FrozenContext(SnapshotHandle(home, root: root)))
        return true
    }

    /// Makes `next` the present context of the realm, because this one was invalidated.
    func handOver(to next: LiveContext) {
        let present = present ?? PresentContext()
        present.context = next
        self.present = present
        next.present = present
    }

    /// The present context of the realm, if this one was invalidated and the realm was used again.
    var successor: LiveContext? {
        guard let context = present?.context, context !== self else { return nil }
        return context
    }

    /// Releases the version and permanently invalidates every object of this context.
    func invalidate() {
        if isInvalidated { return }
        let affected = observation?.willMove(nil) ?? []
        if let shown { formerAccounts.append(shown.root.account) }
        shown = nil
        isInvalidated = true
        current.pointee += 1
        observation?.didMove(affected)
    }
}

@available(*, unavailable)
extension LiveContext: Sendable {}
