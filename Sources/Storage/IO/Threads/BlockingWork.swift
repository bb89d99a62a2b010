import Synchronization

/// Runs what waits for the disk on a thread of its own.
package enum BlockingWork {
    /// Runs `work` on its thread and waits for it. What `work` does by itself where it finds it not
    /// done, `other` begins on another thread; nobody waits for that. With `threads`, `work` runs
    /// on one of those, once one is free.
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
            // Without a thread of its own it has to be this one.
            job()
        }
        if let other { Platform.runOnThread(other) }
        // The first of them may have to wait for the processor that this thread is on, which goes
        // on for a while although nothing depends on that.
        Platform.yieldProcessor()
        if threads == nil {
            await withTaskExecutorPreference(EndingThread.executor) { await outcome.end.wait() }
        } else {
            // A thread that others wait for is not kept for what the caller does next.
            await outcome.end.wait()
        }
        if let value = outcome.value.withLock({ $0 }) { return value }
        if let error = outcome.error.withLock({ $0 }) { throw error }
        preconditionFailure("The thread resumes once it has a result.")
    }

    /// Runs `work` on its thread and waits for nothing.
    package static func start(_ work: @escaping @Sendable () -> Void) {
        if !Platform.runOnThread(work) { work() }
    }

    /// Goes on with the task where its wait ends: on the thread that did the work, which takes it
    /// to the caller's actor. Else it would go there by way of the cooperative pool, which in a
    /// process that has just begun takes making a thread, and others that watch over the pool.
    private final class EndingThread: TaskExecutor {
        static let executor = EndingThread()

        func enqueue(_ job: consuming ExecutorJob) {
            UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    /// Hands over what the thread made, under locks: the resumption alone would do, but Thread
    /// Sanitizer does not see that. A `Result` would have the runtime search for what an error is.
    private final class Outcome<R: Sendable>: Sendable {
        let value = Mutex<R?>(nil)
        let error = Mutex<(any Error)?>(nil)
        let end = EndSignal()
    }
}
