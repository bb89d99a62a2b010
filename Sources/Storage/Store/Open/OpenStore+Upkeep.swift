import Synchronization

extension OpenStore {
    /// What goes on beside the reads and writes of an open store.
    package func begin(_ replayed: ReplayedStore) {
        beginSharing(replayed)
        keepUp(replayed.checkpoints)
        startSyncing()
    }

    /// From here on, when a checkpoint finds it worth it, compacts by itself, and frees memory that
    /// the checkpoint made it possible to free.
    private func keepUp(_ checkpoints: CheckpointSchedule?) {
        checkpoints?.onUpkeep { [weak self] in
            guard let self, !isKeepingUp.exchange(true, ordering: .relaxed) else { return }
            Task.detached(
                executorPreference: UpkeepThread.executor, priority: .utility
            ) { [weak self] in
                // What fails here has stopped the store, or will be tried again.
                try? await self?.freeMemory()
                let isShort = self?.engine.isShortOfSpace ?? false
                if isShort || self?.engine.isWasteful ?? false {
                    try? await self?.compact(isFull: isShort)
                }
                self?.isKeepingUp.store(false, ordering: .relaxed)
            }
        }
    }

    @concurrent
    private func freeMemory() async throws {
        try await turns.take("freeing memory", timeout: nil)
        defer { passTurn() }
        try engine.giveUpStored()
    }
}
