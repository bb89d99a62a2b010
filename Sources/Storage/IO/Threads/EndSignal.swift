import Synchronization

/// A one-time event: resumes its waiters, also later ones, and runs jobs when it occurs.
package final class EndSignal: Sendable {
    private struct State {
        var isFinished = false
        var waiters: [UnsafeContinuation<Void, Never>] = []
        var jobs: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Whether it has occurred.
    package var hasFinished: Bool { state.withLock { $0.isFinished } }

    package func finish() {
        let (waiters, jobs) = state.withLock { state in
            state.isFinished = true
            defer { (state.waiters, state.jobs) = ([], []) }
            return (state.waiters, state.jobs)
        }
        for job in jobs { job() }
        for waiter in waiters { waiter.resume() }
    }

    /// Runs a short job at the end, on the finishing thread and before waiters are resumed; at once
    /// if it has occurred already.
    package func whenFinished(_ job: @escaping @Sendable () -> Void) {
        let isFinished = state.withLock { state in
            if !state.isFinished { state.jobs.append(job) }
            return state.isFinished
        }
        if isFinished { job() }
    }

    package func wait() async {
        // Unsafe: resumed once, either by `finish()`, which takes the list, or here, if it was not
        // added to the list.
        await withUnsafeContinuation { continuation in
            let isFinished = state.withLock { state in
                if !state.isFinished { state.waiters.append(continuation) }
                return state.isFinished
            }
            if isFinished { continuation.resume() }
        }
    }

    /// Waits for the end.
    ///
    /// - Throws: `CancellationError` when the task is cancelled before that.
    package func waitUnlessCancelled() async throws {
        let isOver = EndSignal()
        whenFinished { isOver.finish() }
        await withCancellationHandler {
            await isOver.wait()
        } onCancel: {
            isOver.finish()
        }
        guard hasFinished else { throw CancellationError() }
    }
}
