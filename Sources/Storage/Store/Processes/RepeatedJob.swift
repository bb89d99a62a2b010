import Synchronization

/// A job for a thread that is asked for again and again, perhaps more often than it can be run: it
/// waits there once at the most, and runs at least once behind each time that it was asked for.
///
/// A file may be written many thousand times in a second. One job for each write would take memory
/// for as long as they come in faster than they are done, and what else the thread has to do, such
/// as requesting the writer lease, would wait behind all of them.
final class RepeatedJob: Sendable {
    private let thread: SerialThread
    private let job: SerialThread.Job
    private let isWaiting = Atomic<Bool>(false)

    init(on thread: SerialThread, _ job: @escaping SerialThread.Job) {
        self.thread = thread
        self.job = job
    }

    /// Has the job run on the thread, unless it waits there already.
    func run() {
        if isWaiting.exchange(true, ordering: .acquiringAndReleasing) { return }
        thread.run { [self] in
            // Before the job looks: what comes from here on is for the next one.
            _ = isWaiting.exchange(false, ordering: .acquiringAndReleasing)
            job()
        }
    }
}
