extension OpenStore {
    /// How often a full compaction begins anew at least, because others have undone some of it.
    private static let compactionsMin = 4

    /// The store was reopened meanwhile, so that a plan is for what is closed.
    private struct WasReopened: Error {}

    /// Empties page segments of which little is in use, and removes them: on a disk that lacks the
    /// space for all of them at once as many as there is space for, and again. With `isFull`,
    /// nothing is left afterwards of what was deleted before. With `givesUpHistory`, a disk that is
    /// full costs history that is kept. Off the pool of threads that tasks share: whatever its
    /// priority, a writer may have to wait for it.
    @concurrent
    package func compact(
        isFull: Bool, givesUpHistory: Bool = false, progress: (@Sendable (Double) -> Void)? = nil
    ) async throws {
        let (start, before) = (ContinuousClock.now, engine.storedBytes)
        try await withTaskExecutorPreference(UpkeepThread.executor) {
            try await emptySegments(
                isFull: isFull, givesUpHistory: givesUpHistory, progress: progress)
        }
        options.onEvent?(
            .compaction(
                isFull: isFull, before: before, after: engine.storedBytes,
                duration: start.duration(to: .now)))
    }

    @concurrent
    private func emptySegments(
        isFull: Bool, givesUpHistory: Bool, progress: (@Sendable (Double) -> Void)?
    ) async throws {
        let deadline = options.writeTimeout.map { ContinuousClock.now + $0 }
        var compaction = Compaction(isFull: isFull, givesUpHistory: givesUpHistory)
        var engine = engine
        while let step = compaction.step {
            do {
                try await perform(step, of: &compaction, engine)
                if compaction.isFirst { progress?(0.9 * compaction.progress) }
            } catch is WasReopened {
                compaction.restart()
            } catch StorageError.closed {
                // Perhaps only for as long as it is being reopened, which has the turn.
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
            // The tree is read with the turn, which no other process gets it by; writing takes
            // long, and goes without.
            try await takeLease(engine)
            defer { releaseTurn() }
            await drain()
            try engine.perform(&compaction)
        case .write: compaction = try await Self.performBlocking(compaction, engine)
        case .finish:
            // With the turn, other processes have to wait.
            try await takeLease(engine)
            defer { releaseTurn() }
            await drain()
            compaction = try await Self.performBlocking(compaction, engine)
        }
    }

    /// Does a step on a thread that may wait for the disk.
    private static func performBlocking(
        _ compaction: Compaction, _ engine: TransactionEngine
    ) async throws -> Compaction {
        try await BlockingWork.run {
            var compaction = compaction
            try engine.perform(&compaction)
            return compaction
        }
    }

    /// Takes the turn and the writer lease, for what is no write and goes on in `engine`.
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
