import Synchronization

/// Runs blocking work outside of the cooperative pool.
package enum BlockingWork {
    /// Runs `work` on a thread and waits for it. `other` does part of the work ahead on another
    /// thread, which is not waited for: `work` does what is still missing. With `threads`, `work`
    /// runs on one of those, once one is free.
    package static func run<R: Sendable>(
        beside other: (@Sendable () -> Void)? = nil, on threads: ReadingThreads? = nil,
        _ work: @escaping @Sendable () throws -> R
    ) async throws -> R {
        let outcome = Outcome<R>()
        let job: @Sendable () -> Void = {
            do {
                let value = try work()
                outcome.value.withLock { $0 = value }
            } catch {
                outcome.error.withLock { $0 = error }
            }
            outcome.end.finish()
        }
        if let threads {
            threads.run(job)
        } else if !Platform.runOnThread(job) {
            // Without another thread, it runs on this one.
            job()
        }
        if let other { Platform.runOnThread(other) }
        // The new thread may be queued on this thread's processor, while nothing depends on this
        // thread.
        Platform.yieldProcessor()
        if threads == nil {
            await withTaskExecutorPreference(EndingThread.executor) { await outcome.end.wait() }
        } else {
            // A pooled thread is not used for the continuation of the caller.
            await outcome.end.wait()
        }
        if let value = outcome.value.withLock({ $0 }) { return value }
        if let error = outcome.error.withLock({ $0 }) { throw error }
        preconditionFailure("The thread resumes once it has a result.")
    }

    /// Starts `work` on a thread without waiting for it.
    package static func start(_ work: @escaping @Sendable () -> Void) {
        if !Platform.runOnThread(work) { work() }
    }

    /// Resumes the task on the thread that did the work, which takes it to the caller's actor.
    /// Otherwise it would get there through the cooperative pool, whose threads have to be created
    /// first in a process that has just started.
    private final class EndingThread: TaskExecutor {
        static let executor = EndingThread()

        func enqueue(_ job: consuming ExecutorJob) {
            UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    /// Transfers the outcome under a lock: the resumption would suffice, but Thread Sanitizer does
    /// not see that. A `Result` would make the runtime look up conformances of the error.
    private final class Outcome<R: Sendable>: Sendable {
        let value = Mutex<R?>(nil)
        let error = Mutex<(any Error)?>(nil)
        let end = EndSignal()
    }
}
