import Synchronization

/// A pool of a few threads for reads of the disk: a thread for each would exceed what the system
/// gives a process where thousands of tasks read at the same time. A thread ends when no job is
/// left.
package final class ReadingThreads: Sendable {
    package typealias Job = @Sendable () -> Void

    /// For reads of a few pages, or of a batch of commits.
    package static let short = ReadingThreads(countMax: 8)
    /// For those that take as long as a log is large.
    package static let long = ReadingThreads(countMax: 32)

    private struct State {
        /// What no thread has begun: the last of `next` first, then `later` in its order.
        var next: [Job] = []
        var later: [Job] = []
        /// How many threads there are.
        var count = 0

        mutating func takeNext() -> Job? {
            if next.isEmpty {
                next = later.reversed()
                later = []
            }
            return next.popLast()
        }
    }

    private let countMax: Int
    /// Runs its body on a new thread; false when there can be none.
    private let makeThread: @Sendable (@escaping Job) -> Bool
    private let state = Mutex(State())

    /// `makeThread` is a parameter for tests, in which it fails.
    package init(
        countMax: Int,
        makeThread: @escaping @Sendable (@escaping Job) -> Bool = { Platform.runOnThread($0) }
    ) {
        self.countMax = countMax
        self.makeThread = makeThread
    }

    /// Runs a job on one of the threads, in the order of arrival; on the caller's where there is
    /// none and none can be made.
    package func run(_ job: @escaping Job) {
        let needsThread = state.withLock { state in
            state.later.append(job)
            if state.count == countMax { return false }
            state.count += 1
            return true
        }
        guard needsThread, !makeThread({ [self] in runJobs() }) else { return }
        let isAlone = state.withLock { state in
            if state.count == 1 { return true }
            // The other threads run it. If none of them can be made either, the last caller does.
            state.count -= 1
            return false
        }
        if isAlone { runJobs() }
    }

    private func runJobs() {
        while let job = nextJob() { job() }
    }

    /// Nil when the thread is to end.
    private func nextJob() -> Job? {
        state.withLock { state in
            let job = state.takeNext()
            if job == nil { state.count -= 1 }
            return job
        }
    }
}
