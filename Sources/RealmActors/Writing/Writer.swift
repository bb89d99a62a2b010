import Foundation
import Storage

/// Runs the transactions of one store, one after another, in the order of their arrival.
///
/// Whoever has the turn runs its body from beginning to end without suspending, off its actor, on
/// the pool of threads that tasks share. No actor of its own: the turn excludes everyone else
/// already, and hopping onto an actor and off it costs more than a small transaction.
///
/// A body's outcome is told when the version that it made, or that it started from, is durable;
/// meanwhile the next bodies run.
final class Writer: Sendable {
    let turns = TurnQueue()

    /// Runs one transaction.
    @concurrent
    func perform<R: Sendable>(
        in store: RealmStore, author: String?, silencing tokens: [ChangeStreamToken],
        _ body: (WriteTransaction) throws -> R
    ) async throws -> R {
        if Task.isCancelled { throw CancellationError() }
        let silenced = try store.hub.silence(tokens)
        let engine = try await store.takeTurn("a write", author: author) { _ in
            // A silenced commit is published by itself: what others wrote goes first.
            if silenced != nil { await store.drain() }
        }
        do {
            try RealmError.translating { try engine.beginBody() }
        } catch {
            store.passTurn()
            throw error
        }
        let context = LiveContext(transactionIn: store, engine)
        let transaction = WriteTransaction(context)
        var outcome = Result { try body(transaction) }
        let commit = context.endBody(&outcome, author: author, silenced: silenced)
        var successors = TransactionEngine.Successors.none
        if silenced == nil { successors = turns.isAwaited ? .waiting : .possible }
        try await makeDurable(commit, in: store, engine, successors)
        if store.pace.noteCommit() { await Task.yield() }
        return try outcome.get()
    }

    /// Ends the body, passes the turn on and returns when the commit is durable.
    @inline(__always)
    private func makeDurable(
        _ commit: Version?, in store: RealmStore, _ engine: TransactionEngine,
        _ successors: TransactionEngine.Successors
    ) async throws {
        try await RealmError.translating {
            // Unsafe: the engine resumes each waiter exactly once, also when the log fails.
            try await withUnsafeThrowingContinuation { continuation in
                engine.endBody(
                    commit, waiter: .continuation(continuation), successors: successors
                ) { store.passTurn() }
            }
        }
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
