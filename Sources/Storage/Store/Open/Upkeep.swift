/// What an open store does beside its reads and writes when a checkpoint finds it worth it: it
/// frees memory that the checkpoint made it possible to free, and compacts. One such run at a time.
actor Upkeep {
    private var isRunning = false

    /// Starts a run, unless one goes on. Off the pool of threads that tasks share, see
    /// ``UpkeepThread``.
    nonisolated func start(_ store: OpenStore) {
        Task.detached(executorPreference: UpkeepThread.executor, priority: .utility) {
            [weak store] in
            await self.run(store)
        }
    }

    /// What fails here has stopped the store, or will be tried again.
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
