/// Where tasks run that hold the turn to write for what nobody waits for.
///
/// On the pool that all tasks share, one of low priority that has got the turn would not run while
/// others fill the pool, and everyone who waits for the turn would wait for those.
final class UpkeepThread: TaskExecutor {
    static let executor = UpkeepThread()

    private let thread = SerialThread(name: "RealmActors upkeep")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // It is never stopped, so that every job runs.
        thread.run { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
