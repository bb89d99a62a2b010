import Storage
import Synchronization
import Testing

/// A thread pool for many concurrent readers.
@Suite struct ReadingThreadsTests {
    /// Each read had a thread of its own: a thousand tasks that follow the commits of a realm took
    /// a thousand threads with every commit.
    @Test func manyReadsUseFewThreads() async {
        let threads = ReadingThreads(countMax: 3)
        let running = Mutex((now: 0, most: 0))
        let left = Mutex(300)
        await withCheckedContinuation { continuation in
            for _ in 0..<300 {
                threads.run {
                    running.withLock { running in
                        running.now += 1
                        running.most = max(running.most, running.now)
                    }
                    Platform.pause(for: .microseconds(100))
                    running.withLock { $0.now -= 1 }
                    let isLast = left.withLock { left in
                        left -= 1
                        return left == 0
                    }
                    if isLast { continuation.resume() }
                }
            }
        }
        #expect(running.withLock { $0.most } <= 3)
    }

    @Test func readingsBeginInTheOrderOfTheirArrival() async {
        let threads = ReadingThreads(countMax: 1)
        let order = Mutex<[Int]>([])
        for round in 0..<3 {
            await withCheckedContinuation { continuation in
                for number in 0..<100 {
                    threads.run { order.withLock { $0.append(round * 100 + number) } }
                }
                threads.run { continuation.resume() }
            }
        }
        #expect(order.withLock { $0 } == Array(0..<300))
    }

    /// If the system had no thread left, one caller ran the reads of all others, as long as more
    /// arrived.
    @Test func existingThreadsReadIfNoMoreCanBeCreated() {
        let made = Mutex<[ReadingThreads.Job]>([])
        let threads = ReadingThreads(countMax: 3) { body in
            made.withLock { made in
                if !made.isEmpty { return false }
                made.append(body)
                return true
            }
        }
        let order = Mutex<[Int]>([])
        for number in 0..<5 { threads.run { order.withLock { $0.append(number) } } }
        let before = order.withLock { $0 }
        #expect(before == [])
        let bodies = made.withLock { $0 }
        for body in bodies { body() }
        let after = order.withLock { $0 }
        #expect(after == [0, 1, 2, 3, 4])
    }

    @Test func withoutAnyThreadTheCallerReads() {
        let threads = ReadingThreads(countMax: 3) { _ in false }
        let order = Mutex<[Int]>([])
        for number in 0..<3 { threads.run { order.withLock { $0.append(number) } } }
        let read = order.withLock { $0 }
        #expect(read == [0, 1, 2])
    }
}
