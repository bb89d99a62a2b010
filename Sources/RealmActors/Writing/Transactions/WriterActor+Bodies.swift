import Storage

extension WriterActor {
    /// The outcome of a body, and its commit.
    private struct EndedBody<R: Sendable>: Sendable {
        let outcome: Result<R, any Error>
        /// Nil when nothing was changed.
        let commit: Version?
    }

    /// Runs one transaction.
    @concurrent
    nonisolated func perform<R: Sendable>(
        in store: RealmStore, author: String?, silencing tokens: [ChangeStreamToken],
        _ times: WriteTimes?, _ body: sending (WriteTransaction) throws -> R
    ) async throws -> R {
        var times = times
        let silenced = try store.hub.silence(tokens)
        let engine: TransactionEngine
        if let free = try store.tryTakeTurn("a write", author: author) {
            engine = free
        } else {
            engine = try await store.takeTurn("a write", author: author)
            times?.beginBody()
        }
        // A silenced commit is published separately, after all commits before it. On a full disk, a
        // deletion must not share a group with transactions that are refused because they add data.
        if silenced != nil || engine.isRefusing {
            await store.open.drain()
            times?.beginBody()
        }
        let ended: EndedBody<R>
        do {
            ended = try await run(body, in: store, engine, author: author, silenced: silenced)
        } catch {
            store.releaseTurn()
            throw error
        }
        times?.endBody()
        var successors = TransactionEngine.Successors.none
        if silenced == nil { successors = turns.isAwaited ? .waiting : .possible }
        // Off the actor, which is then free for the next holder of the turn.
        let metrics = try await makeDurable(ended.commit, in: store, engine, successors)
        if let times { store.monitoring?.note(times, ended.commit, metrics) }
        if store.pace.noteCommit() { await Task.yield() }
        return try ended.outcome.get()
    }

    /// Runs one transaction of a realm on a shared log, and repeats it while other hosts commit
    /// first and nothing of it was written.
    @concurrent
    nonisolated func performRetrying<R: Sendable>(
        in store: RealmStore, author: String?, silencing tokens: [ChangeStreamToken],
        _ times: WriteTimes?, _ body: sending (WriteTransaction) throws -> R
    ) async throws -> R {
        var times = times
        let (ended, metrics) = try await retrying(
            in: store, author: author, silencing: tokens, &times, body)
        // Off the actor: the code of a monitor may be slow.
        if let times { store.monitoring?.note(times, ended.commit, metrics) }
        return try ended.outcome.get()
    }

    private func retrying<R: Sendable>(
        in store: RealmStore, author: String?, silencing tokens: [ChangeStreamToken],
        _ times: inout WriteTimes?, _ body: sending (WriteTransaction) throws -> R
    ) async throws -> (EndedBody<R>, GroupMetrics) {
        let silenced = try store.hub.silence(tokens)
        let deadline = RepetitionDeadline(after: store.configuration.writeTimeout)
        while true {
            let engine = try await store.takeTurn("a write", author: author)
            if silenced != nil || engine.isRefusing { await store.open.drain() }
            times?.beginBody()
            let ended: EndedBody<R>
            do {
                ended = try run(body, in: store, engine, author: author, silenced: silenced)
            } catch {
                store.releaseTurn()
                throw error
            }
            times?.endBody()
            do {
                let metrics = try await makeDurable(
                    ended.commit, in: store, engine, silenced == nil ? .possible : .none)
                return (ended, metrics)
            } catch RealmError.superseded {
                try deadline.requireTime()
            }
        }
    }

    /// Runs a body for the holder of the turn.
    ///
    /// - Throws: when the store accepts no more transactions, or the task is cancelled; the body
    ///   has not run then.
    private func run<R: Sendable>(
        _ body: (WriteTransaction) throws -> R, in store: RealmStore,
        _ engine: TransactionEngine, author: String?, silenced: Set<ChangeStreamToken>?
    ) throws -> EndedBody<R> {
        // The task may have been cancelled while the write waited for the disk with the turn.
        try Task.checkCancellation()
        try RealmError.translating { try engine.beginBody() }
        let context = LiveContext(writingIn: store, engine, store.models)
        let transaction = WriteTransaction(context)
        var outcome = Result { try body(transaction) }
        let commit = context.endBody(&outcome, author: author, silenced: silenced)
        return EndedBody(outcome: outcome, commit: commit)
    }

    /// Ends the body, releases the turn, and returns when the commit is durable.
    @discardableResult
    @inline(__always)
    nonisolated func makeDurable(
        _ commit: Version?, in store: RealmStore, _ engine: TransactionEngine,
        _ successors: TransactionEngine.Successors
    ) async throws -> GroupMetrics {
        try await RealmError.translating {
            // Unsafe: the engine resumes each waiter exactly once, also when the log fails.
            try await withUnsafeThrowingContinuation { continuation in
                engine.endBody(
                    commit, waiter: .continuation(continuation), successors: successors
                ) { store.releaseTurn() }
            }
        }
    }
}
