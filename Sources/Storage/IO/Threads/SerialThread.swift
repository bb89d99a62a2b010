import Foundation
import Synchronization

/// A thread that runs jobs in the order of arrival. Disk writes happen on such threads, never on
/// the cooperative pool. It starts with the first job, and ends after `stop`, with the last
/// reference, or after an idle time: then the next job starts another one.
package final class SerialThread: Sendable {
    package typealias Job = @Sendable () -> Void

    /// The state shared with the thread. The thread retains only this, so that releasing its owner
    /// ends it.
    private final class Mailbox: Sendable {
        struct Contents {
            var jobs: [Job] = []
            var isStarted = false
            var isStopped = false
            /// Whether the thread waits for the signal, or is about to.
            var isAsleep = false
            /// The job to run after the deadline, if there is no other.
            var idleJob: (deadline: Instant, job: Job)?
        }
        let contents = Mutex(Contents())
        let signal = ThreadSemaphore()
        let idleTime: Duration

        init(idleTime: Duration) { self.idleTime = idleTime }

        /// What the caller has to do for an added job to run.
        enum Need { case nothing, signal, start }

        /// Adds a job; nil when the thread is stopped.
        func add(_ job: @escaping Job, isLast: Bool) -> Need? {
            let (need, idleJob) = contents.withLock { contents -> (Need?, Job?) in
                if contents.isStopped { return (nil, nil) }
                contents.isStopped = isLast
                contents.jobs.append(job)
                // The idle job retains what it uses, usually the owner of the thread.
                let idleJob = isLast ? contents.idleJob?.job : nil
                if isLast { contents.idleJob = nil }
                defer {
                    contents.isAsleep = false
                    contents.isStarted = true
                }
                if !contents.isStarted { return (.start, idleJob) }
                return (contents.isAsleep ? .signal : .nothing, idleJob)
            }
            // Released outside the lock.
            withExtendedLifetime(idleJob) {}
            return need
        }

        /// Stops a thread that no job can be added to any more.
        func end() {
            let wakes = contents.withLock { contents in
                if contents.isStopped { return false }
                contents.isStopped = true
                defer { contents.isAsleep = false }
                return contents.isAsleep
            }
            if wakes { signal.signal() }
        }

        /// Runs jobs until the thread is stopped, or idle for so long that it ends.
        func runJobs() {
            var jobs: [Job] = []
            var isOver = false
            while !isOver {
                let deadline = contents.withLock { contents in
                    swap(&jobs, &contents.jobs)
                    isOver = contents.isStopped
                    contents.isAsleep = jobs.isEmpty
                    return contents.idleJob?.deadline
                }
                if jobs.isEmpty, !isOver { isOver = !sleep(until: deadline) }
                for job in jobs { job() }
                jobs.removeAll(keepingCapacity: true)
            }
        }

        /// Waits for the next job, or runs the idle job at its deadline; false if the thread was
        /// idle for so long that it ends.
        private func sleep(until deadline: Instant?) -> Bool {
            let time = deadline.map { Instant.now.duration(to: $0) } ?? idleTime
            if signal.wait(upTo: time) { return true }
            let (isAwake, idleJob) = contents.withLock { contents -> (Bool, Job?) in
                // A job that has arrived meanwhile comes before the idle job.
                guard contents.isAsleep else { return (true, nil) }
                contents.isAsleep = false
                defer { contents.idleJob = nil }
                if contents.idleJob == nil { contents.isStarted = false }
                return (false, contents.idleJob?.job)
            }
            // The caller that has woken it has signalled, or is about to.
            if isAwake { signal.wait() } else { idleJob?() }
            return isAwake || idleJob != nil
        }
    }

    private let mailbox: Mailbox

    private let name: String
    /// Runs its body on a new thread; false when there can be none.
    private let makeThread: @Sendable (@escaping Job) -> Bool

    /// - Parameters:
    ///   - idleTime: after how long without a job the thread ends.
    ///   - makeThread: a parameter for tests, in which it fails.
    package init(
        name: String, idleTime: Duration = .seconds(5),
        makeThread: @escaping @Sendable (@escaping Job) -> Bool = {
            Platform.runOnThread(stackSize: 512 << 10, $0)
        }
    ) {
        self.name = name
        mailbox = Mailbox(idleTime: idleTime)
        self.makeThread = makeThread
    }

    deinit { mailbox.end() }

    private func start() {
        let run: Job = { [mailbox, name] in
            Thread.current.name = name
            mailbox.runJobs()
        }
        // If the system has no thread left, the caller with the first job waits for one to end.
        while !makeThread(run) { Platform.pause(for: .milliseconds(10)) }
    }

    private func add(_ job: @escaping Job, isLast: Bool) -> Bool {
        switch mailbox.add(job, isLast: isLast) {
        case nil: return false
        case .nothing: break
        case .signal: mailbox.signal.signal()
        case .start: start()
        }
        return true
    }

    /// Adds a job. False, and the job does not run, after `stop`.
    @discardableResult
    package func run(_ job: @escaping Job) -> Bool { add(job, isLast: false) }

    /// Runs `job` on the thread after `time`, if no other job is pending. Replaces the previous
    /// idle job, or with `keepingPrevious` does nothing if there is one. To be called by a job of
    /// this thread. After a stop, it does nothing.
    package func runWhenIdle(
        after time: Duration, keepingPrevious: Bool = false, _ job: @escaping Job
    ) {
        let deadline = Instant.now + time
        mailbox.contents.withLock { contents in
            if contents.isStopped || keepingPrevious && contents.idleJob != nil { return }
            contents.idleJob = (deadline, job)
        }
    }

    /// Discards the job of `runWhenIdle`.
    package func cancelIdleJob() { mailbox.contents.withLock { $0.idleJob = nil } }

    /// Runs the pending jobs, then `last`, and ends the thread. Returns at once; false, and `last`
    /// does not run, if it was stopped before.
    @discardableResult
    package func stop(last: @escaping Job) -> Bool { add(last, isLast: true) }

    /// As `stop`, and waits for the end when this call is the one that ends it. Not for the
    /// cooperative pool, nor for a job of this thread.
    package func stopAndWait() {
        let ended = ThreadSemaphore()
        if stop(last: { ended.signal() }) { ended.wait() }
    }
}
