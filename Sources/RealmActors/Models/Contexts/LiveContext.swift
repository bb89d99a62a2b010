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
    // Unowned: the same tree, for what happens so often that counting it would cost as much.
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
    /// The rows of writes that were rolled back; nil before the first.
    @exclusivity(unchecked) private var rolledBack: RolledBackRows?
    /// Names what the realm shows now to those that it showed before; nil as long as there are
    /// none.
    private var present: PresentContext?
    /// Whether the realm is moving to another version: its observers are being notified.
    private(set) var isMoving = false
    // Accessors keep nodes of versions that were shown before, and those need their account.
    /// What accounted for earlier versions, where the store was reopened since.
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

    /// What shows no object of a class that the realm of `other` was opened without.
    init(without absent: AbsentClass, _ other: LiveContext) {
        home = other.home
        current = Self.makeCell()
        shown = FrozenContext((other.shown ?? Self.newest(home)).handle, without: absent)
        super.init(models: absent.models, absence: absent.error)
    }

    private static func newest(_ home: any ContextStore) -> FrozenContext {
        FrozenContext(SnapshotHandle(home, label: nil))
    }

    /// Changes whenever a row found before may no longer be where it was.
    package var generation: UInt64 { current.pointee }

    package override var view: TreeView {
        if let tree { return tree.view }
        guard let shown else { return home.emptyView }
        return shown.view
    }

    /// What is shown at this moment: as long as it is the same, so is everything that was read.
    var moment: LiveMoment {
        guard let tree else { return LiveMoment(generation: generation, changes: 0, root: 0) }
        // Before the counts, since it sorts in what is pending.
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

    /// Throws the error of an assignment that was refused.
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

    /// Takes back what the write did, and notifies the observers of what it had changed. The
    /// accessors of the rows of `written` are invalidated.
    func rollBack(_ written: WrittenRows?) {
        if let observation, observation.isWatched, let tree, let shown {
            let comparison = ObservedComparison(
                before: tree.view, after: shown.view, models: models)
            reverted += observation.willMove(comparison)
        }
        engine.rollBack()
        disown(written, before: generation)
    }

    /// Invalidates permanently the accessors, made before `generation`, of rows that the write
    /// which is rolled back had created or deleted.
    private func disown(_ written: WrittenRows?, before generation: UInt64) {
        guard let written, !isInvalidated else { return }
        let rolledBack = rolledBack ?? RolledBackRows()
        for (id, first) in written.created {
            // Keys below are left over from writes that were rolled back as well.
            rolledBack.noteCreated(id, from: min(first, rows(id).nextKey), at: generation)
        }
        for (id, keys) in written.deleted { rolledBack.noteDeleted(id, keys, at: generation) }
        rolledBack.sweep { rows($0) }
        self.rolledBack = rolledBack
    }

    /// Whether a row that was found, or an object that was made for it, at `generation` was created
    /// or deleted by a write that was rolled back since.
    func hasRolledBack(_ id: ClassID, _ key: RowKey, since generation: UInt64) -> Bool {
        rolledBack?.contains(id, key, since: generation) ?? false
    }

    /// The state that the running write shows, for ``rollBackCommit(_:_:before:)``; nil when
    /// nothing is observed.
    func observedRoot() -> SnapshotRoot? {
        guard let observation, observation.isWatched, isInWrite else { return nil }
        return engine.captureBody()
    }

    /// Rolls back a write that was left at `generation`, because its commit has failed: notifies
    /// the observers of what it had changed, and invalidates the accessors of the rows of
    /// `written`.
    func rollBackCommit(
        _ observed: SnapshotRoot?, _ written: WrittenRows?, before generation: UInt64
    ) {
        disown(written, before: generation)
        guard let observed, let observation, let shown else { return }
        let comparison = ObservedComparison(
            before: observed.view, after: shown.view, models: models)
        observation.didMove(observation.willMove(comparison))
    }

    /// Stops showing the working tree: a live realm continues with the version that it showed.
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

    /// Whether a commit of this realm may still bring a row that was not found. Never in a write,
    /// which begins when the outcome of every commit before it is known.
    var awaitsCommit: Bool { pendingCommits > 0 && !isInWrite }

    /// Whether a row that was not found may exist nevertheless, in what could not be read. A write
    /// that meets such a row keeps nothing.
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
        // What was shown knows since when nodes could not be read.
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

    /// Shows a version that this realm made and that is durable now, unless it shows a newer one.
    /// Returns whether it does.
    @discardableResult
    func advance(to root: SnapshotRoot) -> Bool {
        guard !isInWrite, let shown, root.moment.isNewer(than: shown.root.moment) else {
            return false
        }
        move(to: FrozenContext(SnapshotHandle(home, root: root)))
        return true
    }

    /// From here on the realm shows `next`, because this was invalidated.
    func handOver(to next: LiveContext) {
        let present = present ?? PresentContext()
        present.context = next
        self.present = present
        next.present = present
    }

    /// What the realm shows now, when this was invalidated and the realm was asked again.
    var heir: LiveContext? {
        guard let context = present?.context, context !== self else { return nil }
        return context
    }

    /// Releases everything permanently: every object of this context is invalidated.
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
