#if S3
    import Synchronization

    /// Ends the calls of one log when it is closed.
    final class S3End: Sendable {
        private struct State {
            var isOver = false
            var limitsReads = false
        }

        private let state = Mutex(State())

        var isOver: Bool { state.withLock { $0.isOver } }

        /// Whether reads must end soon.
        var limitsReads: Bool { state.withLock { $0.limitsReads } }

        func limitReads() { state.withLock { $0.limitsReads = true } }

        func signal() { state.withLock { $0.isOver = true } }
    }
#endif
