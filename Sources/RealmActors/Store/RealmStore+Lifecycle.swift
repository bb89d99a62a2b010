import Storage
import Synchronization

/// Closing and suspending: what ``StoreLifecycle`` decides is done here.
extension RealmStore {
    /// Closes the log behind every write that has begun.
    func close() async throws {
        let news = await ask { $0.close($1) }
        guard news == .begin else { return }
        // In a task of its own, so that closing goes through although the caller is cancelled.
        try await Task { try await self.endLife() }.value
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
        await releaseLease()
        let actions = state.withLock { $0.lifecycle.suspensionHasTurn() }
        perform(actions)
        if actions.passesTurn, isClosed { throw RealmError.closed }
    }

    func resume() { perform(state.withLock { $0.lifecycle.resume() }) }

    /// Asks for something, and waits until it is there or for the caller to do.
    func ask(
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

    func perform(_ actions: Lifecycle.Actions) {
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

    /// Waits for the turn to write behind every write that has begun. Not in a task that can be
    /// cancelled.
    func takeTurnToClose(_ name: String) async {
        // Whoever waits for another process has the turn.
        await stopSharing()
        try? await writer.turns.take(name, timeout: nil)
    }

    /// Ends what goes on in an open store and closes its log. The caller has the turn.
    func closeEngine() async -> Result<Void, StorageError> {
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
        guard let interval = configuration.syncInterval, configuration.path != nil else { return }
        let ticks = PeriodicSync(interval: interval) { [weak self] completion in
            guard let engine = self?.engine else { return false }
            engine.sync { _ in completion() }
            return true
        }
        let task = Task { await ticks.run() }
        syncTimer.withLock { $0 = task }
    }
}
