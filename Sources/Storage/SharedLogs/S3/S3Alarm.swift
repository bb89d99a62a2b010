#if S3
    import Synchronization

    /// A timer that runs the delayed jobs of all logs of a process on one thread.
    final class S3Alarm: Sendable {
        private struct Entry {
            let time: Instant
            let job: @Sendable () -> Void
        }

        static let shared = S3Alarm()

        private let thread = SerialThread(name: "RealmActors polling")
        private let entries = Mutex<[Entry]>([])

        /// Runs a job, which must not block, after `time`.
        func set(after time: Duration, _ job: @escaping @Sendable () -> Void) {
            entries.withLock { $0.append(Entry(time: .now + time, job: job)) }
            thread.run { [self] in runDueJobs() }
        }

        /// Runs the due jobs, and schedules the next.
        private func runDueJobs() {
            let now = Instant.now
            let (due, next) = entries.withLock { entries in
                let due = entries.filter { $0.time <= now }
                entries.removeAll { $0.time <= now }
                return (due, entries.map(\.time).min())
            }
            for entry in due { entry.job() }
            guard let next else { return thread.cancelIdleJob() }
            thread.runWhenIdle(after: next - .now) { [self] in runDueJobs() }
        }
    }
#endif
