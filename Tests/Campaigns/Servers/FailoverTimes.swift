#if os(Linux) && PostgreSQL
    import Storage
    import Synchronization

    /// The durations from promotions of a standby to the next acknowledged commit.
    final class FailoverTimes: Sendable {
        /// The times after one promotion.
        struct Failover {
            /// Until a client that connects to the new primary had committed: until then, its
            /// standby did not follow it yet.
            let ofClient: Duration
            /// Until each host had.
            let ofHosts: [Duration]
        }

        private let failovers = Mutex<[Failover]>([])

        /// Adds those of one run. Returns a line about all of them, or nil if there are none.
        func add(_ more: [Failover]) -> String? {
            if more.isEmpty { return nil }
            let all = failovers.withLock { failovers in
                failovers += more
                return failovers
            }
            let parts = [
                Self.text("a client that knows the primary", all.map(\.ofClient)),
                Self.text("the first host", all.compactMap { $0.ofHosts.min() }),
                Self.text("the last host", all.compactMap { $0.ofHosts.max() }),
            ]
            return "\(all.count) promotions; a commit by " + parts.joined(separator: ", by ")
        }

        private static func text(_ name: String, _ times: [Duration]) -> String {
            let sorted = times.sorted().map { Int($0 / .milliseconds(1)) }
            guard let worst = sorted.last else { return "\(name) never" }
            let median = (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
            return "\(name) after \(median) ms (median), \(worst) ms at worst"
        }
    }
#endif
