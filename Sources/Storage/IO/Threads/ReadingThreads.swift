import Synchronization

/// A pool of a few threads for reads of the disk: if thousands of tasks read at the same time, a
/// thread for each would exceed the limits of the system. A thread ends when no job is left.
package final class ReadingThreads: Sendable {
    package typealias Job = @Sendable () -> Void

    /// For reads of a few pages, or of a batch of commits.
    package static let short = ReadingThreads(countMax: 8)
    /// For reads of a whole log.
    package static let long = ReadingThreads(countMax: 32)

    private struct State {
        /// The pending jobs: the last of `next` comes first, then `later` in its order.
        var next: [Job] = []
        var later: [Job] = []
        /// The number of threads.
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
    /// Runs its body on a new thread; false if none can be created.
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

    /// Runs a job on one of the threads, in the order of arrival; on the caller's if there is none
    /// and none can be created.
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
            // The other threads run it. If none of them can be created either, the last caller
            // does.
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
