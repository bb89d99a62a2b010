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
        try await withTaskExecutorPreference(UpkeepThread.executor) {
            try await emptySegments(
                isFull: isFull, givesUpHistory: givesUpHistory, progress: progress)
        }
    }

    @concurrent
    private func emptySegments(
        isFull: Bool, givesUpHistory: Bool, progress: (@Sendable (Double) -> Void)?
    ) async throws {
        let deadline = options.writeTimeout.map { ContinuousClock.now + $0 }
        var attempts = 0
        var stored = Int.max
        var toldProgress = progress
        while true {
            let engine = engine
            var isDone = false
            do {
                let plan = try await compactOnce(
                    engine, isFull: isFull, givesUpHistory: givesUpHistory,
                    progress: toldProgress)
                toldProgress = nil
                if let plan, plan.isPartial {
                    // There may be space now for what is left.
                    let left = engine.storedBytes
                    guard left < stored else {
                        if isFull { throw engine.shortage }
                        return
                    }
                    stored = left
                    continue
                }
                isDone = plan.map { engine.isWorkedOff($0) } ?? (!options.hasFiles)
            } catch is WasReopened {
            } catch StorageError.closed {
                // Perhaps only for as long as it is being reopened, which has the turn.
                try await turns.take("compaction", timeout: nil)
                passTurn()
                if isClosed { throw StorageError.closed(path: "The store") }
            }
            attempts += 1
            if !isFull || isDone { return }
            if attempts >= Self.compactionsMin, let deadline, deadline < .now {
                throw StorageError.busy(process: sharing?.holder)
            }
        }
    }

    /// Returns the plan that was worked off, nil when there was nothing to do.
    private func compactOnce(
        _ engine: TransactionEngine, isFull: Bool, givesUpHistory: Bool,
        progress: (@Sendable (Double) -> Void)?
    ) async throws -> CompactionPlan? {
        try await takeLease(engine)
        passTurn()
        let planned = try await BlockingWork.run {
            if givesUpHistory { try engine.giveUpHistoryIfFull() }
            return try engine.planCompaction(isFull: isFull)
        }
        guard var plan = planned else { return nil }
        let total = Double(max(plan.remaining, 1))
        while !plan.isDone {
            try await takeLease(engine)
            defer { passTurn() }
            await relieve(engine)
            try engine.beginBody()
            engine.relocate(&plan)
            engine.endBody(nil, waiter: .nobody)
            progress?(0.9 * (1 - Double(plan.remaining) / total))
        }
        // The tree is read with the turn, which no other process gets it by; writing takes long,
        // and goes without.
        try await withLease(engine) { engine.publishRelocated(&plan) }
        let isWritten = try await BlockingWork.run { try engine.writeRelocated() }
        if isWritten, !isFull { return plan }
        // The little that is left: with the turn, other processes have to wait.
        try await withLease(engine) {
            try await BlockingWork.run {
                try engine.finishCompaction(isFull: isFull)
                if givesUpHistory { try engine.giveUpHistoryIfFull() }
            }
        }
        return plan
    }

    /// Calls `body` with the turn, the writer lease, and nothing under way.
    private func withLease(
        _ engine: TransactionEngine, _ body: () async throws -> Void
    ) async throws {
        try await takeLease(engine)
        defer { passTurn() }
        await drain()
        try await body()
    }

    /// Takes the turn and the writer lease, for what is no write and goes on in `engine`.
    private func takeLease(_ engine: TransactionEngine) async throws {
        try await turns.take("compaction", timeout: nil)
        do {
            if isClosed { throw StorageError.closed(path: "The store") }
            if engine !== self.engine { throw WasReopened() }
            if let sharing, !sharing.isWriting { try await awaitLease(sharing) }
        } catch {
            passTurn()
            throw error
        }
    }
}
