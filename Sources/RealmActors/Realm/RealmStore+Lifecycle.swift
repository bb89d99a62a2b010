import Storage
import Synchronization

/// Closing, reopening and suspending: what ``StoreLifecycle`` decides is done here.
extension RealmStore {
    /// Closes the log behind every write that has begun.
    func close() async throws {
        let news = await ask { $0.close($1) }
        guard news == .begin else { return }
        // In a task of its own, so that closing goes through although the caller is cancelled.
        try await Task { try await self.endLife() }.value
    }

    /// Closes what is open of the store and opens it anew, with what is proven on disk.
    func reopen() async throws {
        guard configuration.path != nil else { throw RealmError.closed }
        try Task.checkCancellation()
        let news = await ask { $0.reopen($1) }
        guard news == .begin else { return }
        // As closing: a store that was only half reopened would be of no use.
        try await Task { try await self.beginLife() }.value
    }

    func suspend() async throws {
        switch await ask({ ($0.suspend($1), .init()) }) {
        case .done: return
        case .closed: throw RealmError.closed
        case .begin: break
        }
        do {
            try await writer.turns.take("suspend()", timeout: nil)
        } catch {
            perform(state.withLock { $0.lifecycle.suspensionHasFailed() })
            throw error
        }
        // Before it counts as suspended: whoever ends it then passes the turn on.
        await letGo()
        let actions = state.withLock { $0.lifecycle.suspensionHasTurn() }
        perform(actions)
        if actions.passesTurn, isClosed { throw RealmError.closed }
    }

    func resume() { perform(state.withLock { $0.lifecycle.resume() }) }

    /// Asks for something, and waits until it is there or for the caller to do.
    private func ask(
        _ request:
            (inout Lifecycle, UnsafeContinuation<StoreNews, Never>)
            -> (news: StoreNews?, actions: Lifecycle.Actions)
    ) async -> StoreNews {
        // Unsafe: the lifecycle tells everyone whom it keeps once, and who is not kept is told
        // here.
        await withUnsafeContinuation { continuation in
            let (news, actions) = state.withLock { request(&$0.lifecycle, continuation) }
            perform(actions)
            if let news { continuation.resume(returning: news) }
        }
    }

    private func perform(_ actions: Lifecycle.Actions) {
        if actions.passesTurn { passTurn() }
        for (waiter, news) in actions.told { waiter.resume(returning: news) }
    }

    /// Closes the store, for whoever had to begin that.
    private func endLife() async throws {
        await takeTurnToClose("close()")
        let result = await closeEngine()
        let actions = state.withLock { $0.lifecycle.hasClosed() }
        passTurn()
        perform(actions)
        try RealmError.translating { try result.get() }
    }

    /// Opens the store anew, for whoever had to begin that, and closes it first if it is open. When
    /// that fails, it is closed.
    private func beginLife() async throws {
        let registry = StoreRegistry.shared
        let claim = await registry.claim(self)
        await takeTurnToClose("reopen()")
        if !isClosed {
            // A log that failed cannot be sealed; its error is known.
            _ = await closeEngine()
            perform(state.withLock { $0.lifecycle.hasClosed() })
        }
        let outcome: Result<Void, any Error>
        do {
            // Asked for here, so that a store which has lost its place is closed as well.
            _ = try claim.get()
            adopt(try await OpenedStore.prepare(currentConfiguration, account: account))
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        let isOpen = (try? outcome.get()) != nil
        let actions = state.withLock { $0.lifecycle.hasReopened(isOpen: isOpen) }
        if let claim = try? claim.get() { registry.end(claim, isOpen ? self : nil) }
        passTurn()
        perform(actions)
        try outcome.get()
    }

    /// Goes on with what was opened. The caller has the turn.
    private func adopt(_ opened: OpenedStore) {
        let engine = opened.makeEngine(hub)
        // Given up without the locks.
        let closed = self.engine
        defer { withExtendedLifetime(closed) {} }
        // What a stream begins with from here on is of the new engine, and so are its changes.
        hub.restart {
            state.withLock { state in
                state.engine = engine
                state.failure = nil
                state.closing = EndSignal()
            }
            return engine.latest.version
        }
        begin(opened)
    }

    /// Waits for the turn to write behind every write that has begun. Not in a task that can be
    /// cancelled.
    private func takeTurnToClose(_ name: String) async {
        // Whoever waits for another process has the turn.
        await stopSharing()
        try? await writer.turns.take(name, timeout: nil)
    }

    /// Ends what goes on in an open store and closes its log. The caller has the turn.
    private func closeEngine() async -> Result<Void, StorageError> {
        await drain()
        syncTimer.withLock { $0 }?.cancel()
        hub.end(failure)
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
        guard case .relaxed(let interval) = configuration.durability,
            configuration.path != nil
        else { return }
        let task = Task { [weak self] in
            while !Task.isCancelled {
                try? await Task.sleep(for: interval)
                guard let self else { return }
                self.engine.sync { _ in }
            }
        }
        syncTimer.withLock { $0 = task }
    }
}
