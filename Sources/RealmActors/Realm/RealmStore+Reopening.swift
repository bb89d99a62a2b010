import Storage

extension RealmStore {
    /// Closes what is open of the store and opens it again, with what is proven on disk.
    func reopen() async throws {
        guard configuration.path != nil else { throw RealmError.closed }
        try Task.checkCancellation()
        guard await open.beginReopening() else { return }
        // As closing: a store that was only half reopened would be of no use.
        try await Task { try await self.openAnew() }.value
    }

    /// Reopens the store, for the call that had to begin that.
    private func openAnew() async throws {
        let registry = StoreRegistry.shared
        let claim = await registry.claim(self)
        // The newest version may now be one that is held: fewer count, without a release.
        defer { versions.endWaits() }
        try await RealmError.translating {
            try await open.reopen { database in
                // Requested here, so that a store whose path was taken is closed as well.
                _ = try claim.get()
                let former = FormerStore(
                    path: configuration.path ?? "", database: database,
                    schema: models.storeSchema)
                return try await OpenedStore.prepare(
                    again: former, currentConfiguration, account: account
                ).replayed
            } ended: { isOpen in
                if let claim = try? claim.get() { registry.end(claim, isOpen ? self : nil) }
            }
        }
    }
}
