import Dispatch
import Synchronization
import Testing

@testable import Storage

/// Jobs that are requested more often than they can run.
@Suite struct RepeatedJobTests {
    /// Each write of another process added a job to the thread of its follower: the jobs of a busy
    /// writer filled its memory, and its own requests for the lease waited behind them.
    @Test func repeatedRequestsArePendingOnce() {
        let thread = SerialThread(name: "repeated")
        let (isReached, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isDone = DispatchSemaphore(value: 0)
        let runs = Mutex(0)
        let job = RepeatedJob(on: thread) { runs.withLock { $0 += 1 } }
        thread.run {
            isReached.signal()
            mayGoOn.wait()
        }
        isReached.wait()
        for _ in 0..<1_000 { job.run() }
        mayGoOn.signal()
        thread.run { isDone.signal() }
        isDone.wait()
        #expect(runs.withLock { $0 } == 1)
        thread.stopAndWait()
    }

    /// Requests during a run are served by the next run.
    @Test func requestsDuringARunAreServedAfterwards() {
        let thread = SerialThread(name: "repeated")
        let (isReached, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isDone = DispatchSemaphore(value: 0)
        let runs = Mutex(0)
        let job = RepeatedJob(on: thread) {
            let isFirst = runs.withLock { runs in
                runs += 1
                return runs == 1
            }
            if isFirst {
                isReached.signal()
                mayGoOn.wait()
            } else {
                isDone.signal()
            }
        }
        job.run()
        isReached.wait()
        job.run()
        mayGoOn.signal()
        isDone.wait()
        #expect(runs.withLock { $0 } == 2)
        thread.stopAndWait()
    }
}
