/// Calls to an engine, with retries.
extension SharedJournal {
    /// Repeats a call after transient errors, until `monitor` is cancelled.
    func retrying<R>(
        monitor: ReadingMonitor = ReadingMonitor(), _ call: () throws(SharedLogError) -> R
    ) throws(StorageError) -> R {
        var backoff = realm.backoff
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

    /// Waits before a retry; false if the time for retries is over, or the store is being closed.
    func waitToRetry(_ backoff: inout RetryBackoff) -> Bool {
        !isStopping && backoff.waitToRetry()
    }
}
