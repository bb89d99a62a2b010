import Synchronization

/// A few threads for readings of the disk, of which any number may be asked for at once: as many
/// threads would be more than a system gives a process where thousands of tasks read on at the same
/// moment. A thread ends when nothing is left to be read.
package final class ReadingThreads: Sendable {
    package typealias Job = @Sendable () -> Void

    /// For readings of a few pages, or a batch of commits.
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

    /// `makeThread` stands in for the system where a test wants it to refuse.
    package init(
        countMax: Int,
        makeThread: @escaping @Sendable (@escaping Job) -> Bool = { Platform.runOnThread($0) }
    ) {
        self.countMax = countMax
        self.makeThread = makeThread
    }

    /// Runs a job on one of the threads, in the order of arrival. On the caller's where there is
    /// none, and the system has none left.
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
            // The others come to it, of whom the last finds itself alone if it cannot be made.
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
