/// Calls to an engine, with retries.
extension SharedJournal {
    /// Repeats a call after transient errors, until `monitor` is cancelled, or for the timeout of
    /// the realm unless there is a `deadline`.
    func retrying<R>(
        until deadline: Instant? = nil,
        monitor: ReadingMonitor = ReadingMonitor(), _ call: () throws(SharedLogError) -> R
    ) throws(StorageError) -> R {
        var backoff = realm.backoff(until: deadline)
        while true {
            do throws(SharedLogError) {
                return try call()
            } catch {
                demandBarrier()
                if error.isTransient, !monitor.isCancelled, waitToRetry(&backoff) { continue }
                throw StorageError(error)
            }
        }
    }

    /// Throws if a write has no time left to read on: other hosts may append faster than this one
    /// reads.
    func requireTime(to reach: Reach, _ monitor: ReadingMonitor) throws(StorageError) {
        guard reach == .near, let deadline = monitor.deadline else { return }
        if Instant.now > deadline { throw .superseded }
    }

    /// Waits before a retry; false if the time for retries is over, the store is being closed, or
    /// its opening was cancelled.
    func waitToRetry(_ backoff: inout RetryBackoff) -> Bool {
        !isStopping && backoff.waitToRetry()
    }

    /// Waits before a stale response is requested again; false as for ``waitToRetry(_:)``, or if
    /// `monitor` is cancelled.
    func waitForNewerResponse(_ backoff: inout RetryBackoff, _ monitor: ReadingMonitor) -> Bool {
        demandBarrier()
        noteStaleness(true)
        // However this call ends, the watch finds out when the engine is consistent again.
        realm.log.wake()
        return !monitor.isCancelled && waitToRetry(&backoff)
    }
}
