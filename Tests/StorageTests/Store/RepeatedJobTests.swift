import Dispatch
import Synchronization
import Testing

@testable import Storage

/// Jobs that are asked for more often than they can be run.
@Suite struct RepeatedJobTests {
    /// Each write of another process was a job of its own for the one that follows: of a busy
    /// writer they filled its memory, and its own requests for the lease waited behind all of them.
    @Test func whatIsAskedForAgainWaitsOnce() {
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

    /// What comes while it runs is seen by the next one.
    @Test func whatIsAskedForMeanwhileIsDoneAfterwards() {
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
