/// The thread of an open store that appends groups to its log and reports back. One group is in
/// flight at a time, selected by the `CommitPipeline`.
package final class LogThread: Sendable {
    private let log: any Journal
    private let thread = SerialThread(name: "RealmActors log")

    package init(log: any Journal) { self.log = log }

    /// Appends the group on the thread, then calls `completion` there, also with how long that
    /// took. The buffer belongs to the thread until then. After `stop`, `completion` is called at
    /// once with `.closed`.
    package func submit(
        _ group: CommitGroupBuffer,
        completion: @escaping @Sendable (Result<Void, StorageError>, Duration) -> Void
    ) {
        let isAccepted = thread.run { [log] in
            let start = Instant.now
            let result = Result<Void, StorageError> { () throws(StorageError) in
                try log.append(group)
            }
            completion(result, start.duration(to: .now))
        }
        if !isAccepted { completion(.failure(.closed(path: "the log")), .zero) }
    }

    /// Runs another job that blocks on the disk, in order with the groups.
    @discardableResult
    package func run(_ job: @escaping @Sendable () -> Void) -> Bool { thread.run(job) }

    /// Runs `job` on the thread after `time`; without a time, discards the pending one. To be
    /// called on the thread.
    package func runWhenIdle(after time: Duration?, _ job: @escaping @Sendable () -> Void) {
        if let time { thread.runWhenIdle(after: time, job) } else { thread.cancelIdleJob() }
    }

    /// Closes the log after everything submitted so far, ends the thread, and calls `completion` as
    /// the last thing on it. The second call completes at once with `.closed`.
    package func close(completion: @escaping @Sendable (Result<Void, StorageError>) -> Void) {
        let isFirst = thread.stop { [log] in
            completion(Result { () throws(StorageError) in try log.close() })
        }
        if !isFirst { completion(.failure(.closed(path: "the log"))) }
    }

    /// Ends the thread without closing the log and waits for its end. Not for the cooperative pool.
    package func stop() { thread.stopAndWait() }
}
