#if PostgreSQL
    extension PostgresSharedLog {
        package func watch(for slot: LogSlot, _ noticed: @escaping SharedLogWatcher) {
            if isClosed { return noticed(.failure(.closed)) }
            pool.listener.watch(self, for: slot, noticed)
        }

        package func wake() {
            if !isClosed { pool.listener.wake(self) }
        }

        package var knownNext: LogSlot? { pool.listener.knownNext(of: self) }
    }
#endif
