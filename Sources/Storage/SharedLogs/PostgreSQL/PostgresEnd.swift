#if PostgreSQL
    import Synchronization

    /// Ends all waits of one log, once. It uses the pipes of the log's connections, since a process
    /// may have far more logs than open files.
    final class PostgresEnd: Sendable {
        private struct State {
            var isOver = false
            var limitsAttempts = false
            var pipes: [ObjectIdentifier: WakePipe] = [:]
        }

        private let state = Mutex(State())

        var isOver: Bool { state.withLock { $0.isOver } }

        /// Whether connection attempts fail unless they succeed at once. Calls continue.
        var limitsAttempts: Bool { state.withLock { $0.limitsAttempts } }

        func limitAttempts() { state.withLock { $0.limitsAttempts = true } }

        /// The number of connections in use: for tests.
        var pipeCount: Int { state.withLock { $0.pipes.count } }

        /// Adds the pipe of a connection that the log uses.
        func add(_ pipe: WakePipe) {
            state.withLock { state in
                state.pipes[ObjectIdentifier(pipe)] = pipe
                if state.isOver { pipe.signal() }
            }
        }

        /// Removes the pipe of a connection that the log no longer uses.
        func remove(_ pipe: WakePipe) {
            state.withLock { state in
                state.pipes[ObjectIdentifier(pipe)] = nil
                if state.isOver { pipe.reset() }
            }
        }

        /// Under the lock, so that no pipe is signalled that another log uses by then.
        func signal() {
            state.withLock { state in
                state.isOver = true
                for pipe in state.pipes.values { pipe.signal() }
            }
        }
    }
#endif
