import Synchronization

/// Closing, reopening and suspending: what ``StoreLifecycle`` decides is done here.
extension OpenStore {
    /// Closes the log behind every write that has begun.
    package func close() async throws {
        let news = await ask { $0.close($1) }
        guard news == .begin else { return }
        // In a task of its own, so that closing goes through although the caller is cancelled.
        try await Task { try await self.endLife() }.value
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
        // Before it counts as suspended: its end then passes the turn on.
        await releaseLease()
        // Read while this has the turn: a reopening, which waits for it, closes the store for a
        // moment.
        let (actions, isClosed) = state.withLock {
            ($0.lifecycle.suspensionHasTurn(), $0.lifecycle.isClosed)
        }
        perform(actions)
        if actions.releasesTurn, isClosed { throw StorageError.closed(path: "The store") }
    }

    package func resume() { perform(state.withLock { $0.lifecycle.resume() }) }

    /// Nobody uses the store any more. What goes on by itself keeps it until that has ended, which
    /// it does soon: compaction with its next step, and what waits for the turn of a suspension
    /// gets it.
    package func release() {
        isReleased.store(true, ordering: .releasing)
        resume()
    }

    /// Asks for the store to be opened anew; true when the caller has to do that, by
    /// ``reopen(_:ended:)``.
    package func beginReopening() async -> Bool { await ask { $0.reopen($1) } == .begin }

    /// Waits for the end of a reopening, where one is under way; then, whether the store is open.
    func isReopened() async -> Bool {
        await ask({ ($0.awaitReopening($1), .init()) }) == .done
    }

    /// Opens the store anew, for the call that had to begin that, and closes it first if it is
    /// open. When that fails, it is closed. Not in a task that can be cancelled.
    ///
    /// `open` gets the database that is to be found again. `ended` is called with whether the store
    /// is open, before anyone else can close it.
    package func reopen(
        _ open: (KnownDatabase?) async throws -> ReplayedStore, ended: (Bool) -> Void
    ) async throws {
        let database = engine.knownDatabase
        await takeTurnToClose("reopen()")
        if !isClosed {
            // A log that failed cannot be sealed; its error is known.
            _ = await closeEngine()
            perform(state.withLock { $0.lifecycle.hasClosed() })
        }
        let outcome: Result<Void, any Error>
        do {
            adopt(try await open(database))
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        let isOpen = (try? outcome.get()) != nil
        let actions = state.withLock { $0.lifecycle.hasReopened(isOpen: isOpen) }
        ended(isOpen)
        releaseTurn()
        perform(actions)
        try outcome.get()
    }

    /// Goes on with what was opened. The caller has the turn.
    private func adopt(_ replayed: ReplayedStore) {
        let engine = replayed.makeEngine(audience, measuresGroups: options.isMonitored)
        // Given up without the locks.
        let closed = self.engine
        defer { withExtendedLifetime(closed) {} }
        // A reference that was taken in a write that was rolled back resolves to no later object.
        engine.tree.skipUnusedKeys(of: closed.tree)
        // What a stream begins with from here on is of the new engine, and so are its changes.
        audience.restart {
            state.withLock { state in
                state.engine = engine
                state.failure = nil
                state.closing = EndSignal()
            }
            return engine.latest.version
        }
        begin(replayed)
    }

    /// Asks for something, and waits until it is there or for the caller to do.
    private func ask(
        _ request:
            (inout Lifecycle, UnsafeContinuation<StoreNews, Never>)
            -> (news: StoreNews?, actions: Lifecycle.Actions)
    ) async -> StoreNews {
        // Unsafe: the lifecycle tells everyone whom it keeps once, and who is not kept is resumed
        // here.
        await withUnsafeContinuation { continuation in
            let (news, actions) = state.withLock { request(&$0.lifecycle, continuation) }
            perform(actions)
            if let news { continuation.resume(returning: news) }
        }
    }

    private func perform(_ actions: Lifecycle.Actions) {
        if actions.releasesTurn { releaseTurn() }
        for (waiter, news) in actions.told { waiter.resume(returning: news) }
    }

    /// Closes the store, for the call that had to begin that.
    private func endLife() async throws {
        await takeTurnToClose("close()")
        let result = await closeEngine()
        let actions = state.withLock { $0.lifecycle.hasClosed() }
        releaseTurn()
        perform(actions)
        try result.get()
    }

    /// Waits for the turn to write behind every write that has begun. Not in a task that can be
    /// cancelled.
    private func takeTurnToClose(_ name: String) async {
        // A task that waits for another process, or for the engine of a shared log, has the turn.
        await stopSharing()
        hosts?.journal.stopWaiting()
        try? await turns.take(name, timeout: nil)
    }

    /// Ends what goes on in an open store and closes its log. The caller has the turn.
    private func closeEngine() async -> Result<Void, StorageError> {
        await drain()
        hosts?.stop()
        await imageJob.stop()
        syncTimer.withLock { $0 }?.cancel()
        audience.finish(failure)
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
            // A store that is not written needs no thread for this.
            if engine.isSynced { completion() } else { engine.sync { _ in completion() } }
            return true
        }
        // Detached: it goes on for all, with neither task-local values nor the priority of whoever
        // opens the store.
        let task = Task.detached(priority: .high) { await ticks.run() }
        syncTimer.withLock { $0 = task }
    }
}
