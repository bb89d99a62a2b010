import Synchronization

/// A job that coalesces requests: it is pending at most once, and runs at least once after each
/// request.
///
/// A file may be written thousands of times per second. With one job for each write, the queue of
/// the thread would grow, and other jobs, such as a request for the writer lease, would wait for
/// all of them.
final class RepeatedJob: Sendable {
    private let thread: SerialThread
    private let job: SerialThread.Job
    private let isWaiting = Atomic<Bool>(false)

    init(on thread: SerialThread, _ job: @escaping SerialThread.Job) {
        self.thread = thread
        self.job = job
    }

    /// Schedules the job, unless it is pending.
    func run() {
        if isWaiting.exchange(true, ordering: .acquiringAndReleasing) { return }
        thread.run { [self] in
            // Cleared before the job begins: later requests schedule the next run.
            _ = isWaiting.exchange(false, ordering: .acquiringAndReleasing)
            job()
        }
    }
}
