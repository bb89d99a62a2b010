package import Storage

extension TransactionEngine {
    /// The engine of an opened store. It appends in place, so that every run of a seed is the same,
    /// and writes checkpoints when it is asked to, unless a test is about something else.
    package convenience init(
        _ opened: StoreOpening.Opened, policy: CheckpointSchedule.Policy = .manual,
        appendsInPlace: Bool = true,
        publish: @escaping @Sendable ([CommitChanges], () -> Void) -> Void = {
            _, makeLatest in makeLatest()
        }
    ) {
        self.init(
            tree: opened.tree, version: opened.version, log: opened.log,
            appendsInPlace: appendsInPlace, checkpoints: CheckpointSchedule(opened, policy: policy),
            publish: publish)
    }

    /// Ends the body of a transaction and waits until its commit is durable.
    package func end(_ commit: Version?) async throws {
        // The engine resumes the continuation exactly once.
        _ = try await withUnsafeThrowingContinuation { continuation in
            endBody(commit, waiter: .continuation(continuation))
        }
    }

    /// Closes the engine and waits for the outcome.
    @discardableResult
    package func close() async -> Result<Void, StorageError> {
        // The engine resumes the continuation exactly once.
        await withUnsafeContinuation { continuation in
            close { continuation.resume(returning: $0) }
        }
    }
}
