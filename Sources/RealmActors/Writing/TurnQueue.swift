import Storage
import Synchronization

/// Who may write: one at a time, in the order of arrival.
///
/// A queue of our own rather than the actor's, because a live realm keeps its turn across awaits,
/// and because a task that is cancelled while it waits must leave without disturbing anyone else's
/// turn: the turn passes from the one who releases it straight to the first who waits.
final class TurnQueue: Sendable {
    private struct Waiter {
        let id: UInt64
        let continuation: UnsafeContinuation<Void, any Error>
    }

    private struct State {
        var holder: String?
        var waiters: [Waiter] = []
        var nextID: UInt64 = 0
        /// Waiters that were cancelled before they came to wait.
        var cancelled: Set<UInt64> = []
    }

    private let state = Mutex(State())

    /// Takes the turn if it is free and nobody waits.
    func tryTake(_ name: String) -> Bool {
        state.withLock { state in
            if state.holder != nil || !state.waiters.isEmpty { return false }
            state.holder = name
            return true
        }
    }

    /// Waits for the turn.
    ///
    /// - Throws: `CancellationError` when the task is cancelled before its turn comes,
    ///   ``RealmError/writerBusy(holder:)`` after `timeout`.
    func take(_ name: String, timeout: Duration?) async throws {
        try Task.checkCancellation()
        if tryTake(name) { return }
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        let timer = timeout.map { timeout in
            Task {
                try await Task.sleep(for: timeout)
                let holder = state.withLock { $0.holder } ?? "another write"
                leave(id, RealmError.writerBusy(holder: holder))
            }
        }
        defer {
            timer?.cancel()
            state.withLock { _ = $0.cancelled.remove(id) }
        }
        try await withTaskCancellationHandler {
            // Unsafe: resumed once, either by whoever takes it out of the queue, or here, where it
            // was not put into it.
            try await withUnsafeThrowingContinuation { continuation in
                let outcome = state.withLock { state -> Result<Void, any Error>? in
                    if state.cancelled.contains(id) { return .failure(CancellationError()) }
                    if state.holder == nil, state.waiters.isEmpty {
                        state.holder = name
                        return .success(())
                    }
                    state.waiters.append(Waiter(id: id, continuation: continuation))
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            leave(id, CancellationError())
        }
        rename(name)
    }

    /// The holder's name, which the one who passed the turn on did not know.
    private func rename(_ name: String) { state.withLock { $0.holder = name } }

    /// Takes a waiter out of the queue, unless its turn has come already.
    private func leave(_ id: UInt64, _ error: any Error) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiters.firstIndex(where: { $0.id == id }) else {
                state.cancelled.insert(id)
                return nil
            }
            return state.waiters.remove(at: index)
        }
        waiter?.continuation.resume(throwing: error)
    }

    /// Passes the turn on.
    func release() {
        let next = state.withLock { state -> Waiter? in
            if state.waiters.isEmpty {
                state.holder = nil
                return nil
            }
            state.holder = "the next write"
            return state.waiters.removeFirst()
        }
        next?.continuation.resume()
    }
}
