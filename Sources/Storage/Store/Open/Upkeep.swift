/// Maintenance of an open store after a checkpoint: frees memory that the checkpoint has made
/// evictable, and compacts if that is worthwhile. One run at a time.
actor Upkeep {
    private var isRunning = false

    /// Starts a run, unless one is in progress. Not on the cooperative pool, see ``UpkeepThread``.
    nonisolated func start(_ store: OpenStore) {
        Task.detached(executorPreference: UpkeepThread.executor, priority: .utility) {
            [weak store] in
            await self.run(store)
        }
    }

    /// An error here has latched in the store, or is retried later.
    private func run(_ store: OpenStore?) async {
        if isRunning { return }
        isRunning = true
        defer { isRunning = false }
        try? await store?.freeMemory()
        let isShort = store?.engine.isShortOfSpace ?? false
        if isShort || store?.engine.isWasteful ?? false {
            try? await store?.compact(isFull: isShort)
        }
    }
}
