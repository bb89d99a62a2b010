import Storage

/// A realm whose objects are live: they show its present version, and can be changed inside its
/// writes.
///
/// Confined to the actor that opened it; the compiler rejects every escape. It advances to the
/// newest version by itself, between two jobs of its actor, unless ``autorefresh`` is off; then
/// only ``refresh()`` and writes advance it.
///
///     actor Kennel {
///         var live: LiveRealm!
///         func start(_ realm: Realm) async throws { live = try await realm.live() }
///         func birthday(of id: UUID) async throws {
///             guard let dog = live.object(Dog.self, forPrimaryKey: id) else { return }
///             try await live.write { dog.age += 1 }
///         }
///     }
public final class LiveRealm {
    /// The version and the objects that the realm shows. The first use after ``invalidate()`` makes
    /// a new one.
    private(set) var context: LiveContext
    let store: RealmStore
    /// Whether a write is open, and so holds the turn.
    private var holdsTurn = false
    /// Whether the open write is being committed or rolled back. Observers are notified meanwhile,
    /// and must not end it again.
    private var isEnding = false
    private let follower: LiveFollower
    /// When the phases of the open write began; nil without a monitor.
    private var times: WriteTimes?

    /// Whether the realm advances to the newest version by itself: never inside a write, and not
    /// while it is invalidated. Turning it on advances the realm at once.
    public var autorefresh = true {
        didSet { if autorefresh, !oldValue { catchUp() } }
    }

    init(_ store: RealmStore, isolation: isolated any Actor) {
        self.store = store
        follower = LiveFollower(store.hub, isolation)
        context = LiveContext(liveIn: store)
        follower.follow(self)
    }

    deinit {
        follower.stop()
        guard holdsTurn else { return }
        // The last reference may be released on any thread, while the actor reads.
        let write = AbandonedWrite(context, store, times)
        follower.onActor { write.rollBack() }
    }

    /// The Sendable handle on the same store, for other isolations.
    public var realm: Realm { Realm(store) }

    /// Whether a write is open.
    public var isInWriteTransaction: Bool { context.tree != nil }

    // MARK: Writing

    /// Runs `body` as one transaction, on the caller's actor, and returns when it is durable.
    ///
    /// Waits for its turn after every earlier write, those of this realm included, and advances the
    /// realm to the newest version before `body` runs.
    ///
    /// - Parameters:
    ///   - isolation: the actor of the realm, on which `body` runs.
    ///   - author: a tag of the commit, which ``Realm/commits(since:)`` delivers with it.
    ///   - tokens: the change streams that the commit does not notify, see
    ///     ``Realm/write(author:silencing:fileID:line:_:)->_``.
    ///   - fileID: the file of the call, for a ``RealmMonitor``.
    ///   - line: the line of the call.
    ///   - body: makes the changes.
    /// - Throws: what `body` throws, after rolling back its changes; ``RealmError/alreadyWriting``
    ///   inside an open write; ``RealmError/invalidated(className:key:)`` when it changed an object
    ///   that was deleted; `CancellationError` when the task is cancelled before `body` starts.
    @discardableResult
    public func write<R>(
        isolation: isolated any Actor = #isolation, author: String? = nil,
        silencing tokens: [ChangeStreamToken] = [], fileID: StaticString = #fileID,
        line: UInt = #line, _ body: () throws -> R
    ) async throws -> R {
        let silenced = try store.hub.silence(tokens)
        try await beginWrite(isolation: isolation)
        times?.call = CallSite(fileID: fileID, line: line)
        times?.author = author
        var outcome = Result { try body() }
        try await end(&outcome, author, silenced, isolation: isolation)
        return try outcome.get()
    }

    /// Begins a write that lasts until ``commitWrite(isolation:author:silencing:)`` or
    /// ``cancelWrite()``, across awaits. Every other writer waits meanwhile. Writes that were
    /// requested before this one run first.
    ///
    /// - Throws: ``RealmError/alreadyWriting`` when one is open; as
    ///   ``write(isolation:author:silencing:fileID:line:_:)``.
    public func beginWrite(isolation: isolated any Actor = #isolation) async throws {
        if holdsTurn { throw RealmError.alreadyWriting }
        wake()
        var times = store.times(nil, nil)
        // The realm advances before the body begins, so that changes by observers of that refresh
        // are not part of it.
        let engine = try await store.takeTurn("a live realm", isolation: isolation) {
            self.refresh()
        }
        do {
            // The task may have been cancelled while the writes before this one became durable.
            try Task.checkCancellation()
            try RealmError.translating { try engine.beginBody() }
        } catch {
            store.releaseTurn()
            throw error
        }
        // An observer of the refresh may have invalidated the realm.
        wake()
        holdsTurn = true
        times?.beginBody()
        self.times = times
        context.enterWrite(engine)
    }

    /// Commits the open write and returns when the commit is durable.
    ///
    /// - Throws: ``RealmError/notInWriteTransaction`` when none is open; the error of an assignment
    ///   in it that was refused, after rolling back its changes; ``RealmError/invalidValue(_:)``
    ///   for a token of another realm, which leaves the write open.
    public func commitWrite(
        isolation: isolated any Actor = #isolation, author: String? = nil,
        silencing tokens: [ChangeStreamToken] = []
    ) async throws {
        guard holdsTurn else { throw RealmError.notInWriteTransaction }
        let silenced = try store.hub.silence(tokens)
        var outcome = Result<Void, any Error>.success(())
        try await end(&outcome, author, silenced, isolation: isolation)
        try outcome.get()
    }

    /// Rolls back the open write. Objects that were added or deleted in it stay invalidated; fetch
    /// them again. Has no effect when no write is open, or it is ending already.
    public func cancelWrite() {
        guard holdsTurn, !isEnding else { return }
        isEnding = true
        times?.endBody()
        context.cancel()
        leave()
        catchUp()
        if let times { store.monitoring?.note(times, nil, GroupMetrics()) }
    }

    /// Ends an open write without a commit.
    private func leave() {
        context.leaveWrite()
        context.engine.endBody(nil, waiter: .nobody)
        releaseTurn()
    }

    private func end<R>(
        _ outcome: inout Result<R, any Error>, _ author: String?,
        _ silenced: Set<ChangeStreamToken>?, isolation: isolated any Actor
    ) async throws {
        // The body may have ended the write itself.
        guard holdsTurn, !isEnding else {
            // The result may lack contents of a node that could not be read.
            if case .success = outcome, let failure = context.readFailure {
                outcome = .failure(failure)
            }
            return
        }
        isEnding = true
        let context = context
        times?.author = author
        times?.endBody()
        let times = times
        let written = context.writtenRows
        let commit = context.encodeOrRollBack(&outcome, author: author, silenced: silenced)
        guard let commit else {
            leave()
            if case .success = outcome, !context.isCancelled { noteMove() }
            catchUp()
            if let times { store.monitoring?.note(times, nil, GroupMetrics()) }
            return
        }
        // Until the commit is durable the realm shows the version before it: values of the commit
        // could be sent elsewhere and then be lost in a crash.
        let observed = context.observedRoot()
        context.leaveWrite()
        let generation = context.generation
        context.pendingCommits += 1
        var made: SnapshotRoot?
        let metrics: GroupMetrics
        do {
            metrics = try await RealmError.translating(isolation: isolation) {
                // Unsafe: the engine resumes each waiter exactly once, also when the log fails.
                try await withUnsafeThrowingContinuation(isolation: isolation) { continuation in
                    context.engine.endBody(commit, waiter: .continuation(continuation))
                    made = context.engine.lastSealed
                    releaseTurn()
                }
            }
        } catch {
            context.pendingCommits -= 1
            // Observers that read inside the write have seen the changes that are rolled back now.
            context.rollBackCommit(observed, written, before: generation)
            catchUp()
            throw error
        }
        defer { context.pendingCommits -= 1 }
        if let made { context.advance(to: made) }
        noteMove()
        catchUp()
        if let times { store.monitoring?.note(times, commit, metrics) }
    }

    /// Advances to the newest version, if ``autorefresh`` is on.
    func catchUp() {
        if autorefresh, !holdsTurn, !context.isInvalidated { refresh() }
    }

    private func releaseTurn() {
        holdsTurn = false
        isEnding = false
        store.releaseTurn()
    }

    /// Shows the newest version after ``invalidate()``, in a new context: earlier objects and
    /// results stay invalidated.
    private func wake() {
        guard context.isInvalidated, !holdsTurn else { return }
        let next = LiveContext(liveIn: store)
        context.handOver(to: next)
        context = next
        noteMove()
    }

    // MARK: Versions

    /// Advances to the newest version. True when there was a newer one; false inside a write. Never
    /// waits for a write.
    @discardableResult
    public func refresh() -> Bool {
        if holdsTurn || context.isMoving { return false }
        if context.isInvalidated {
            wake()
            return true
        }
        let next = store.snapshot(label: nil)
        let isNewer = next.root.name != context.root?.name
        context.move(to: next.context)
        if isNewer { noteMove() }
        return isNewer
    }

    private func noteMove() {
        if let version = context.snapshot?.version { follower.moved(to: version) }
    }

    /// Whether there is a newer version than the one that is shown; false inside a write.
    public var isBehind: Bool {
        guard let shown = context.root else { return false }
        return store.engine.latest.moment.isNewer(than: shown.moment)
    }

    /// Waits until the realm shows `version` or a newer one; without one, the newest at the time of
    /// the call. Use it to read what another task has written:
    ///
    ///     let version = try await service.save(order)      // ends with realm.latestVersion
    ///     await live.refreshed(toAtLeast: version)
    ///
    /// Independent of ``autorefresh``. An invalidated realm shows the newest version at once, and
    /// then waits like any other.
    ///
    /// - Returns: whether the realm advanced since the call, here or by itself: false inside a
    ///   write, when it showed that version already, and when it did not advance because the task
    ///   was cancelled or the store closed.
    @discardableResult
    public func refreshed(
        toAtLeast version: Realm.Version? = nil, isolation: isolated any Actor = #isolation
    ) async -> Bool {
        if isInWriteTransaction { return false }
        let wanted = version.map { Version($0.rawValue) } ?? store.engine.latest.version
        // Read before the wait, during which the realm may advance by itself; nil while it is
        // invalidated.
        let before = context.root
        wake()
        let isThere = context.root.map { $0.version >= wanted && !isTakenBack($0) } ?? false
        if !isThere {
            let store = store
            await store.hub.wait { store.engine.latest.version >= wanted }
            if !Task.isCancelled, store.engine.latest.version >= wanted { refresh() }
        }
        guard let shown = context.root else { return false }
        return shown.name != before?.name
    }

    /// Whether the shown version was lost in a crash.
    private func isTakenBack(_ shown: SnapshotRoot) -> Bool {
        store.engine.latest.moment.invalidates(shown.moment)
    }

    /// The versions that the realm advances to, by itself, by ``refresh()`` and by writes. A
    /// consumer that falls behind gets the newest only. A write that changed nothing delivers the
    /// present version. Ends when the realm is released.
    public func changes() -> LiveChanges { follower.changes() }

    /// The version that the realm shows, as an immutable value; inside a write, its state so far.
    public func freeze() -> Snapshot { context.freeze() }

    /// Releases the version that the realm shows and invalidates its objects and results
    /// permanently. An open write is rolled back. The realm stays usable: its next use shows the
    /// version that is the newest then.
    public func invalidate() {
        cancelWrite()
        context.invalidate()
    }

    /// The object that a reference names; nil when it was deleted. Advances to the newest version
    /// when the present one does not have it.
    public func resolve<Model: ObjectBase>(_ reference: ObjectReference<Model>) -> Model? {
        wake()
        if let object = context.live(reference) { return object }
        // No version of this realm has an object of another realm.
        guard reference.storeID == context.models.storeID, refresh() else { return nil }
        return context.live(reference)
    }

    /// The live object for the row of a frozen one; nil when it was deleted. Advances to the
    /// version of the frozen object first, when this realm is behind it.
    public func resolve<Model: ObjectBase>(_ frozen: Frozen<Model>) -> Model? {
        guard frozen.context.models.isOfSameStore(as: context.models) else { return nil }
        wake()
        catchUp(with: frozen.snapshot)
        return context.live(frozen.reference)
    }
}

@available(*, unavailable)
extension LiveRealm: Sendable {}

extension LiveRealm: ObjectWriting {
    /// Where the realm's objects live.
    public var _context: WritingContext {
        wake()
        return WritingContext(context: context)
    }
}

// Unchecked, and safe: only the realm's actor uses its parts. The realm's deinitialiser makes it,
// and it is used once, on that actor or after the actor was released.
/// The open write of a live realm whose last reference was released.
private struct AbandonedWrite: @unchecked Sendable {
    private let context: LiveContext
    private let store: RealmStore
    private let times: WriteTimes?

    init(_ context: LiveContext, _ store: RealmStore, _ times: WriteTimes?) {
        self.context = context
        self.store = store
        self.times = times
    }

    func rollBack() {
        var times = times
        times?.endBody()
        context.cancel()
        context.leaveWrite()
        context.engine.endBody(nil, waiter: .nobody)
        store.releaseTurn()
        if let times { store.monitoring?.note(times, nil, GroupMetrics()) }
    }
}
