extension SharedRealm {
    /// A realm on the log that `connect` reaches. While the engine does not answer, connecting is
    /// retried for `timeout`. Blocks: not for the cooperative pool.
    ///
    /// - Throws: what `connect` throws; `CancellationError`.
    package static func connecting(
        key: UserKey?, timeout: Duration?, _ monitor: ReadingMonitor,
        _ connect: () throws -> any SharedLog
    ) throws -> SharedRealm {
        var backoff = RetryBackoff(until: timeout.map { Instant.now + $0 })
        while true {
            try monitor.check()
            do {
                return SharedRealm(try connect(), key: key, timeout: timeout)
            } catch let error as StorageError {
                guard case .sharedLogUnavailable = error, backoff.waitToRetry() else {
                    throw error
                }
            }
        }
    }
}
