import Synchronization

/// Resumes those who wait for the end of something, then or later.
package final class EndSignal: Sendable {
    private struct State {
        var isFinished = false
        var waiters: [UnsafeContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Whether it has ended.
    package var hasFinished: Bool { state.withLock { $0.isFinished } }

    package func finish() {
        let waiters = state.withLock { state in
            state.isFinished = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    package func wait() async {
        // Unsafe: resumed once, either by `finish()`, which takes the list, or here, where it was
        // not put into the list.
        await withUnsafeContinuation { continuation in
            let isFinished = state.withLock { state in
                if !state.isFinished { state.waiters.append(continuation) }
                return state.isFinished
            }
            if isFinished { continuation.resume() }
        }
    }
}
