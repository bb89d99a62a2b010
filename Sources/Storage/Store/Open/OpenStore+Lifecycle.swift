import Synchronization

/// Closing, reopening and suspending: performs what ``StoreLifecycle`` decides.
extension OpenStore {
    /// Closes the store after all writes that have begun.
    package func close() async throws {
        let reply = await ask { $0.close($1) }
        guard reply == .begin else { return }
        // In a task of its own, so that closing completes even if the caller is cancelled.
        try await Task { try await self.performClose() }.value
    }

    /// Keeps the turn to write, without the writer lease, until ``resume()``.
    package func suspend() async throws {
        switch await ask({ ($0.suspend($1), .init()) }) {
        case .done: return
        case .closed: throw StorageError.closed(path: "The store")
        case .begin: break
        }
        do {
            try await turns.take("suspend()", timeout: nil)
        } catch {
            perform(state.withLock { $0.lifecycle.suspensionHasFailed() })
            throw error
        }
        // Before it counts as suspended: from then on, resuming releases the turn.
        await releaseLease()
        // Read while this has the turn: a reopening, which waits for the turn, closes the store for
        // a moment.
        let (actions, isClosed) = state.withLock {
            ($0.lifecycle.suspensionHasTurn(), $0.lifecycle.isClosed)
        }
        perform(actions)
        if actions.releasesTurn, isClosed { throw StorageError.closed(path: "The store") }
    }

    package func resume() { perform(state.withLock { $0.lifecycle.resume() }) }

    /// The last user has released the store. Background work retains it until that ends, which is
    /// soon: compaction ends with its next step, reading what other hosts have committed with the
    /// next entries, and a suspension is resumed, so that waits for its turn end.
    package func release() {
        isReleased.store(true, ordering: .releasing)
        hosts?.journal.stopWaiting()
        resume()
    }

    /// Requests a reopening; true if the caller has to do that, with ``reopen(_:ended:)``.
    package func beginReopening() async -> Bool { await ask { $0.reopen($1) } == .begin }

    /// Waits for the end of a reopening in progress; returns whether the store is open.
    ///
    /// - Throws: `CancellationError` when the task is cancelled before that.
    func isReopened() async throws -> Bool {
        let isOver = EndSignal()
        // Not on the cooperative pool: other tasks, which may wait for the turn, can occupy it.
        let reopening = Task.detached(executorPreference: UpkeepThread.executor) {
            defer { isOver.finish() }
            return await self.ask({ ($0.awaitReopening($1), .init()) }) == .done
        }
        try await isOver.waitUnlessCancelled()
        return await reopening.value
    }

    /// Reopens the store, for the call that had to do that, and closes it first if it is open.
    /// After a failure it is closed. Not in a task that can be cancelled.
    ///
    /// `open` gets the database that must be found again. `ended` is called with whether the store
    /// is open, before another call can close it.
    package func reopen(
        _ open: (KnownDatabase?) async throws -> ReplayedStore, ended: (Bool) -> Void
    ) async throws {
        let database = engine.knownDatabase
        await takeTurnToClose("reopen()")
        if !isClosed {
            // A log that has failed cannot be sealed, and its error is known.
            _ = await closeEngine()
            perform(state.withLock { $0.lifecycle.hasClosed() })
        }
        let outcome: Result<Void, any Error>
        do {
            adopt(try await open(database))
            await determineFormerOutcome()
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        let isOpen = (try? outcome.get()) != nil
        if !isOpen { hosts?.end() }
        let actions = state.withLock { $0.lifecycle.hasReopened(isOpen: isOpen) }
        ended(isOpen)
        releaseTurn()
        perform(actions)
        try outcome.get()
    }

    /// Switches to the newly opened store. The caller has the turn.
    private func adopt(_ replayed: ReplayedStore) {
        let engine = replayed.makeEngine(observer, measuresGroups: options.isMonitored)
        // The old engine is released outside the locks.
        let closed = self.engine
        defer { withExtendedLifetime(closed) {} }
        // A reference from a write that was rolled back must not resolve to a later object.
        engine.tree.skipUnusedKeys(of: closed.tree)
        if let former = hosts?.journal, let journal = replayed.sharedJournal {
            // If a write with an unknown outcome was committed, its rows have its keys.
            if !journal.hasRead(appendOf: former) {
                engine.tree.noteKeysReused(since: closed.tree, at: engine.latest.capture)
            }
            journal.takeDoubtfulAppend(of: former)
        }
        // From here on, a stream begins with a version of the new engine, and gets its changes.
        observer.restart {
            state.withLock { state in
                state.engine = engine
                state.failure = nil
                state.closing = EndSignal()
            }
            return engine.latest.version
        }
        begin(replayed)
    }

    /// Makes a request to the lifecycle, and waits until it is served or the caller has to perform
    /// it.
    private func ask(
        _ request:
            (inout Lifecycle, UnsafeContinuation<LifecycleReply, Never>)
            -> (reply: LifecycleReply?, actions: Lifecycle.Actions)
    ) async -> LifecycleReply {
        // Unsafe: the lifecycle returns each continuation that it keeps once, and any other is
        // resumed here.
        await withUnsafeContinuation { continuation in
            let (reply, actions) = state.withLock { request(&$0.lifecycle, continuation) }
            perform(actions)
            if let reply { continuation.resume(returning: reply) }
        }
    }

    private func perform(_ actions: Lifecycle.Actions) {
        if actions.releasesTurn { releaseTurn() }
        for (waiter, reply) in actions.notifications { waiter.resume(returning: reply) }
    }

    /// Closes the store, for the call that had to do that.
    private func performClose() async throws {
        await takeTurnToClose("close()")
        let result = await closeEngine()
        // Before a reopening can begin, which would continue with the watchers.
        hosts?.end()
        let actions = state.withLock { $0.lifecycle.hasClosed() }
        releaseTurn()
        perform(actions)
        try result.get()
    }

    /// Waits for the turn to write after all writes that have begun. Not in a task that can be
    /// cancelled.
    private func takeTurnToClose(_ name: String) async {
        // A task that holds the turn may be waiting for another process, or for the engine of a
        // shared log.
        await stopSharing()
        hosts?.journal.stopWaiting()
        try? await turns.take(name, timeout: nil)
    }

    /// Ends the background work of an open store and closes its log. The caller has the turn.
    private func closeEngine() async -> Result<Void, StorageError> {
        await drain()
        hosts?.stop()
        await imageJob.stop()
        syncTimer.withLock { $0 }?.cancel()
        observer.finish(failure)
        let (engine, closing) = state.withLock { ($0.engine, $0.closing) }
        // Unsafe: the engine calls back exactly once.
        return await withUnsafeContinuation { continuation in
            engine.close { result in
                closing.finish()
                continuation.resume(returning: result)
            }
        }
    }

    /// In a relaxed store, syncs the log at the configured interval.
    func startSyncing() {
        guard let interval = options.syncInterval, options.hasFiles else { return }
        let ticks = PeriodicSync(interval: interval) { [weak self] completion in
            guard let engine = self?.engine else { return false }
            // Without unsynced writes, no thread is needed.
            if engine.isSynced { completion() } else { engine.sync { _ in completion() } }
            return true
        }
        // Detached, since it must not inherit the task-local values and the priority of the task
        // that opens the store.
        let task = Task.detached(priority: .high) { await ticks.run() }
        syncTimer.withLock { $0 = task }
    }
}
