#if S3
    import Synchronization

    /// Ends the calls of one log when it is closed.
    final class S3End: Sendable {
        private struct State {
            var isOver = false
            var limited: Instant?
        }

        private let state = Mutex(State())

        var isOver: Bool { state.withLock { $0.isOver } }

        /// Since when calls must end soon; nil if they need not.
        var limited: Instant? { state.withLock { $0.limited } }

        var limitsCalls: Bool { limited != nil }

        func limitCalls() { state.withLock { $0.limited = $0.limited ?? Instant.now } }

        func signal() { state.withLock { $0.isOver = true } }
    }
#endif
