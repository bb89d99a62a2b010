import Storage
import Synchronization

extension RealmStore {
    /// Closes what is open of the store and opens it anew, with what is proven on disk.
    func reopen() async throws {
        guard configuration.path != nil else { throw RealmError.closed }
        try Task.checkCancellation()
        let news = await ask { $0.reopen($1) }
        guard news == .begin else { return }
        // As closing: a store that was only half reopened would be of no use.
        try await Task { try await self.beginLife() }.value
    }

    /// Opens the store anew, for whoever had to begin that, and closes it first if it is open. When
    /// that fails, it is closed.
    private func beginLife() async throws {
        let registry = StoreRegistry.shared
        let claim = await registry.claim(self)
        let database = engine.knownDatabase
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
            let former = FormerStore(
                path: configuration.path ?? "", database: database, schema: models.storeSchema)
            adopt(
                try await OpenedStore.prepare(
                    again: former, currentConfiguration, account: account))
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
}
