import Foundation
import Storage

/// Serialises the transactions of one store, in the order of their arrival.
///
/// A body runs here from beginning to end without suspending. Its outcome is told when the version
/// that it made, or that it started from, is durable; meanwhile the next bodies run.
actor WriterActor {
    nonisolated let turns = TurnQueue()

    /// Runs one transaction.
    func perform<R: Sendable>(
        in store: RealmStore, author: String?, _ body: (WriteTransaction) throws -> R
    ) async throws -> R {
        if Task.isCancelled { throw CancellationError() }
        try await store.takeTurn("a write", isolation: self)
        do {
            try RealmError.translating { try store.engine.beginBody() }
        } catch {
            store.passTurn()
            throw error
        }
        let context = LiveContext(transactionIn: store)
        let transaction = WriteTransaction(context)
        var outcome = Result { try body(transaction) }
        let commit = context.endBody(&outcome, author: author)
        try await RealmError.translating {
            // Unsafe: the engine resumes each waiter exactly once, also when the log fails.
            try await withUnsafeThrowingContinuation { continuation in
                // Whoever writes next takes the commit along to the log.
                store.engine.endBody(
                    commit, waiter: .continuation(continuation), gathers: turns.waiterCount > 0)
                store.passTurn()
            }
        }
        if store.pace.noteCommit() { await Task.yield() }
        return try outcome.get()
    }
}

extension RealmError {
    /// Runs `body`, whose storage errors become errors that users see.
    static func translating<R>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> R
    ) async throws -> R {
        do { return try await body() } catch let error as StorageError { throw RealmError(error) }
    }
}
