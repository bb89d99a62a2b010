#if os(Linux) && PostgreSQL
    import Storage
    import Synchronization

    /// How long it took after promotions of a standby until a host was acknowledged a commit.
    final class FailoverTimes: Sendable {
        private let times = Mutex<[Duration]>([])

        /// Adds those of one life. Returns a line about all of them, or nil where there are none.
        func add(_ more: [Duration]) -> String? {
            let sorted = times.withLock { times in
                times += more
                return times.sorted()
            }
            guard !more.isEmpty, let worst = sorted.last else { return nil }
            let median = (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
            return "\(sorted.count) promotions, the first commit after one in"
                + " \(Self.text(median)) (median), \(Self.text(worst)) at worst"
        }

        private static func text(_ time: Duration) -> String {
            "\(Int(time / .milliseconds(1))) ms"
        }
    }
#endif
