extension OpenStore {
    /// Starts the background work of an open store.
    package func begin(_ replayed: ReplayedStore) {
        beginSharing(replayed)
        join(replayed)?.begin()
        scheduleUpkeep(replayed.checkpoints)
        startSyncing()
    }

    private func scheduleUpkeep(_ checkpoints: CheckpointSchedule?) {
        if let onEvent = options.onEvent { checkpoints?.onEvent(onEvent) }
        checkpoints?.onUpkeep { [weak self] in
            guard let self else { return }
            upkeep.start(self)
        }
    }

    @concurrent
    func freeMemory() async throws {
        try await turns.take("freeing memory", timeout: nil)
        defer { releaseTurn() }
        try engine.evictStored()
    }
}
