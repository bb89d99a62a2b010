/// The executor of background tasks that take the turn to write.
///
/// On the cooperative pool, other tasks could fill the pool while a task of low priority holds the
/// turn, and all writers would wait: a priority inversion.
final class UpkeepThread: TaskExecutor {
    static let executor = UpkeepThread()

    private let thread = SerialThread(name: "RealmActors upkeep")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // It is never stopped, so that every job runs.
        thread.run { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
