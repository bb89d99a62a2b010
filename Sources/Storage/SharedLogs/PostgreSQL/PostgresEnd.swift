#if PostgreSQL
    import Synchronization

    /// Ends all waits of one log, once. The pipes by which it does so are those of the connections
    /// that the log uses: a process may have far more logs than it may have open files.
    final class PostgresEnd: Sendable {
        private struct State {
            var isOver = false
            var limitsAttempts = false
            var pipes: [ObjectIdentifier: WakePipe] = [:]
        }

        private let state = Mutex(State())

        var isOver: Bool { state.withLock { $0.isOver } }

        /// Whether an attempt to connect that does not succeed at once has failed. Calls go on.
        var limitsAttempts: Bool { state.withLock { $0.limitsAttempts } }

        func limitAttempts() { state.withLock { $0.limitsAttempts = true } }

        /// How many connections it would end the waits of: for tests.
        var pipeCount: Int { state.withLock { $0.pipes.count } }

        /// Ends waits on this pipe from here on.
        func add(_ pipe: WakePipe) {
            state.withLock { state in
                state.pipes[ObjectIdentifier(pipe)] = pipe
                if state.isOver { pipe.signal() }
            }
        }

        /// Leaves waits on this pipe to others.
        func remove(_ pipe: WakePipe) {
            state.withLock { state in
                state.pipes[ObjectIdentifier(pipe)] = nil
                if state.isOver { pipe.reset() }
            }
        }

        /// With the lock: a pipe is not to be signalled that another log has by then.
        func signal() {
            state.withLock { state in
                state.isOver = true
                for pipe in state.pipes.values { pipe.signal() }
            }
        }
    }
#endif
