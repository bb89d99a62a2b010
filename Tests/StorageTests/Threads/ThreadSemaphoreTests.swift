import Foundation
import Synchronization
import Testing

@testable import Storage

/// A semaphore counts its signals, and a limited wait ends by itself.
@Suite struct ThreadSemaphoreTests {
    @Test func signalsBeforeTheWaitAreCounted() {
        let semaphore = ThreadSemaphore()
        semaphore.signal()
        semaphore.signal()
        semaphore.wait()
        #expect(semaphore.wait(upTo: .zero))
        #expect(!semaphore.wait(upTo: .zero))
    }

    @Test(arguments: [Duration.seconds(-1), .zero, .nanoseconds(1), .milliseconds(20)])
    func aWaitWithoutASignalEndsWhenTheTimeHasPassed(_ limit: Duration) {
        let start = ContinuousClock.now
        #expect(!ThreadSemaphore().wait(upTo: limit))
        #expect(start.duration(to: .now) >= limit)
    }

    /// The maximum duration does not overflow into a short one.
    @Test func aWaitOfAnyLengthIsEndedByASignal() {
        let semaphore = ThreadSemaphore()
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: 0.02)
            semaphore.signal()
        }
        #expect(semaphore.wait(upTo: .seconds(Int64.max)))
    }

    @Test func everySignalEndsOneWait() {
        let (semaphore, ended) = (ThreadSemaphore(), ThreadSemaphore())
        let waits = Mutex(0)
        for _ in 0..<4 {
            Thread.detachNewThread {
                for turn in 0..<250 {
                    if turn.isMultiple(of: 2) {
                        semaphore.wait()
                    } else {
                        while !semaphore.wait(upTo: .microseconds(50)) {}
                    }
                    waits.withLock { $0 += 1 }
                }
                ended.signal()
            }
        }
        for _ in 0..<1_000 { semaphore.signal() }
        for _ in 0..<4 { ended.wait() }
        #expect(waits.withLock { $0 } == 1_000)
        #expect(!semaphore.wait(upTo: .zero))
    }
}
