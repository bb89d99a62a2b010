extension OpenStore {
    /// How often a full compaction is restarted at least, because others have undone part of it.
    private static let compactionsMin = 4

    /// The store was reopened, so that a plan refers to the closed engine.
    private struct WasReopened: Error {}

    /// Empties page segments with few used bytes, and removes them: if the disk lacks the space for
    /// all of them at once, in several passes. With `isFull`, all values that were deleted before
    /// are erased. With `dropsHistory`, history is dropped if the disk is full. Not on the
    /// cooperative pool, since a writer may have to wait for it, at any priority.
    @concurrent
    package func compact(
        isFull: Bool, dropsHistory: Bool = false, progress: (@Sendable (Double) -> Void)? = nil
    ) async throws {
        let (start, before) = (Instant.now, engine.storedBytes)
        try await withTaskExecutorPreference(UpkeepThread.executor) {
            try await emptySegments(
                isFull: isFull, dropsHistory: dropsHistory, progress: progress)
        }
        options.onEvent?(
            .compaction(
                isFull: isFull, before: before, after: engine.storedBytes,
                duration: start.duration(to: .now)))
    }

    @concurrent
    private func emptySegments(
        isFull: Bool, dropsHistory: Bool, progress: (@Sendable (Double) -> Void)?
    ) async throws {
        let deadline = options.writeTimeout.map { Instant.now + $0 }
        var compaction = Compaction(isFull: isFull, dropsHistory: dropsHistory)
        var engine = engine
        while let step = compaction.step {
            do {
                try await perform(step, of: &compaction, engine)
                if compaction.isFirst { progress?(0.9 * compaction.progress) }
            } catch is WasReopened {
                compaction.restart()
            } catch StorageError.closed {
                // Perhaps it is only being reopened, which holds the turn.
                try await turns.take("compaction", timeout: nil)
                releaseTurn()
                if isEnding { throw StorageError.closed(path: "The store") }
                compaction.restart()
            }
            guard case .plan = compaction.step else { continue }
            engine = self.engine
            if compaction.attempts >= Self.compactionsMin, let deadline, deadline < .now {
                throw StorageError.busy(process: sharing?.holder)
            }
        }
    }

    private func perform(
        _ step: Compaction.Step, of compaction: inout Compaction, _ engine: TransactionEngine
    ) async throws {
        switch step {
        case .plan:
            try await takeLease(engine)
            releaseTurn()
            compaction = try await Self.performBlocking(compaction, engine)
        case .relocate:
            try await takeLease(engine)
            defer { releaseTurn() }
            if engine.isMemorySpent { await awaitMemory(engine) }
            try engine.perform(&compaction)
        case .publish:
            // The tree is read with the turn. Writing takes long, and continues without the turn.
            try await takeLease(engine)
            defer { releaseTurn() }
            await drain()
            try engine.perform(&compaction)
        case .write: compaction = try await Self.performBlocking(compaction, engine)
        case .finish:
            // The turn makes other processes wait.
            try await takeLease(engine)
            defer { releaseTurn() }
            await drain()
            compaction = try await Self.performBlocking(compaction, engine)
        }
    }

    /// Runs a step on a thread that may block on the disk.
    private static func performBlocking(
        _ compaction: Compaction, _ engine: TransactionEngine
    ) async throws -> Compaction {
        try await BlockingWork.run {
            var compaction = compaction
            try engine.perform(&compaction)
            return compaction
        }
    }

    /// Takes the turn and the writer lease for maintenance of `engine`.
    private func takeLease(_ engine: TransactionEngine) async throws {
        try await turns.take("compaction", timeout: nil)
        do {
            if isEnding { throw StorageError.closed(path: "The store") }
            if engine !== self.engine { throw WasReopened() }
            if let sharing, !sharing.isWriting { try await awaitLease(sharing) }
        } catch {
            releaseTurn()
            throw error
        }
    }
}
