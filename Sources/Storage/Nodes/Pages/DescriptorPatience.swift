import Synchronization

/// How long reads wait for a descriptor that the process does not have: all of them together, since
/// a query of many nodes that cannot be read would wait for each.
final class DescriptorPatience: Sendable {
    private static let most = Duration.milliseconds(500)
    private static let interval = Duration.milliseconds(10)
    /// How long after the first wait it may begin anew, though nothing could be opened since.
    private static let renewal = Duration.seconds(10)

    /// When the first of those began that wait, or have waited for nothing.
    private let begin = Mutex<ContinuousClock.Instant?>(nil)

    /// Waits for a moment; false when that was done for long enough.
    func waitsOnceMore() -> Bool {
        let now = ContinuousClock.now
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
