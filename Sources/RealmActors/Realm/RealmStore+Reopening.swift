import Storage

extension RealmStore {
    /// Closes the store if it is open, and opens it again with what is proven to be on the disk.
    func reopen() async throws {
        guard configuration.path != nil else { throw RealmError.closed }
        try Task.checkCancellation()
        guard await open.beginReopening() else { return }
        // In a task of its own, which cancellation does not reach: reopening must not stop halfway.
        try await Task { try await self.openAnew() }.value
    }

    /// Reopens the store, in the call that won the right to do so.
    private func openAnew() async throws {
        let registry = StoreRegistry.shared
        let claim = await registry.claim(self)
        // After a failure, writes that wait for a version to be released find the store closed.
        defer { pinner.resumeEligible() }
        try await RealmError.translating {
            try await open.reopen { database in
                // Throws only here, so that the store is closed even if its path was opened again.
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
