import Dispatch
import Foundation
import Synchronization

/// One thread that runs jobs in the order of their arrival. Disk writes happen on such threads,
/// never on the cooperative pool. It ends after `stop`, or when the last reference to it goes.
package final class SerialThread: Sendable {
    package typealias Job = @Sendable () -> Void

    /// What the thread shares with its owner; the thread holds only this, so that an owner that is
    /// dropped ends it.
    private final class Mailbox: Sendable {
        struct Contents {
            var jobs: [Job] = []
            var isStopped = false
            /// Whether the thread waits for the signal, or is about to.
            var isAsleep = false
            /// What the thread does after the deadline, when it has no other job.
            var idleJob: (deadline: DispatchTime, job: Job)?
        }
        let contents = Mutex(Contents())
        let signal = DispatchSemaphore(value: 0)

        /// Adds a job unless the thread is stopped, and wakes it.
        func add(_ job: @escaping Job, isLast: Bool) -> Bool {
            let (isAccepted, wakes) = contents.withLock { contents in
                if contents.isStopped { return (false, false) }
                contents.isStopped = isLast
                contents.jobs.append(job)
                defer { contents.isAsleep = false }
                return (true, contents.isAsleep)
            }
            if wakes { signal.signal() }
            return isAccepted
        }

        func runUntilStopped() {
            var jobs: [Job] = []
            var isStopped = false
            while !isStopped {
                let deadline = contents.withLock { contents in
                    swap(&jobs, &contents.jobs)
                    isStopped = contents.isStopped
                    contents.isAsleep = jobs.isEmpty
                    return contents.idleJob?.deadline
                }
                if jobs.isEmpty { sleep(until: deadline) }
                for job in jobs { job() }
                jobs.removeAll(keepingCapacity: true)
            }
        }

        /// Waits for the next job, or runs the idle job when its time has come.
        private func sleep(until deadline: DispatchTime?) {
            guard let deadline else { return signal.wait() }
            if signal.wait(timeout: deadline) == .success { return }
            let (isAwake, idleJob) = contents.withLock { contents in
                defer { contents.idleJob = nil }
                let isAwake = !contents.isAsleep
                contents.isAsleep = false
                return (isAwake, contents.idleJob?.job)
            }
            // A job that came at the last moment has signalled, or is about to.
            if isAwake { signal.wait() } else { idleJob?() }
        }
    }

    private let mailbox = Mailbox()

    package init(name: String) {
        let thread = Thread { [mailbox] in mailbox.runUntilStopped() }
        thread.name = name
        thread.stackSize = 512 << 10
        thread.start()
    }

    deinit { stop {} }

    /// Adds a job. False, and the job does not run, after `stop`.
    @discardableResult
    package func run(_ job: @escaping Job) -> Bool { mailbox.add(job, isLast: false) }

    /// Runs `job` on the thread when `time` has passed and no other job waits. Takes the place of
    /// the one that was set before. To be called by a job of this thread.
    package func runWhenIdle(after time: Duration, _ job: @escaping Job) {
        let (seconds, attoseconds) = time.components
        let deadline =
            DispatchTime.now() + .seconds(Int(seconds))
            + .nanoseconds(Int(attoseconds / 1_000_000_000))
        mailbox.contents.withLock { $0.idleJob = (deadline, job) }
    }

    /// Forgets the job that `runWhenIdle` has set.
    package func cancelIdleJob() { mailbox.contents.withLock { $0.idleJob = nil } }

    /// Runs what was added before, then `last`, and ends the thread. Returns at once; false, and
    /// nothing runs, when it was stopped before.
    @discardableResult
    package func stop(last: @escaping Job) -> Bool { mailbox.add(last, isLast: true) }

    /// As `stop`, and waits for the end when this call is the one that ends it. Not for the
    /// cooperative pool, nor for a job of this thread.
    package func stopAndWait() {
        let ended = DispatchSemaphore(value: 0)
        if stop(last: { ended.signal() }) { ended.wait() }
    }
}
