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
        }
        let contents = Mutex(Contents())
        let signal = DispatchSemaphore(value: 0)

        func runUntilStopped() {
            while true {
                signal.wait()
                let (jobs, isStopped) = contents.withLock { contents in
                    let jobs = contents.jobs
                    contents.jobs.removeAll()
                    return (jobs, contents.isStopped)
                }
                for job in jobs { job() }
                if isStopped { return }
            }
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
    package func run(_ job: @escaping Job) -> Bool {
        let isAccepted = mailbox.contents.withLock { contents in
            guard !contents.isStopped else { return false }
            contents.jobs.append(job)
            return true
        }
        if isAccepted { mailbox.signal.signal() }
        return isAccepted
    }

    /// Runs what was added before, then `last`, and ends the thread. Returns at once; false, and
    /// nothing runs, when it was stopped before.
    @discardableResult
    package func stop(last: @escaping Job) -> Bool {
        let isFirst = mailbox.contents.withLock { contents in
            guard !contents.isStopped else { return false }
            contents.isStopped = true
            contents.jobs.append(last)
            return true
        }
        if isFirst { mailbox.signal.signal() }
        return isFirst
    }

    /// As `stop`, and waits for the end when this call is the one that ends it. Not for the
    /// cooperative pool, nor for a job of this thread.
    package func stopAndWait() {
        let ended = DispatchSemaphore(value: 0)
        if stop(last: { ended.signal() }) { ended.wait() }
    }
}
