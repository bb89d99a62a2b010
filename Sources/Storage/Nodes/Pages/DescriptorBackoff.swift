import Synchronization

/// The retries of reads that lack a descriptor. All reads share one deadline, since a query would
/// otherwise wait for each of many nodes.
final class DescriptorBackoff: Sendable {
    private static let most = Duration.milliseconds(500)
    private static let interval = Duration.milliseconds(10)
    /// How long after the first wait a new one may begin although no file could be opened since.
    private static let renewal = Duration.seconds(10)

    /// When the first of the unsuccessful waits began.
    private let begin = Mutex<Instant?>(nil)

    /// Waits before a retry; false after the common deadline.
    func waitToRetry() -> Bool {
        let now = Instant.now
        let waited = begin.withLock { begin -> Duration in
            if let known = begin, known.duration(to: now) < Self.renewal {
                return known.duration(to: now)
            }
            begin = now
            return .zero
        }
        guard waited < Self.most else { return false }
        Platform.pause(for: Self.interval)
        return true
    }

    /// A file could be opened.
    func end() { begin.withLock { $0 = nil } }
}
