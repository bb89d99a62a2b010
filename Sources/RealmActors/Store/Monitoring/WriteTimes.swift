import Storage

/// When the phases of a write began, for a monitor.
///
/// Its cost is three reads of the clock. Times are nanoseconds, because arithmetic on instants of a
/// clock takes as long as reading it.
struct WriteTimes: Sendable {
    private let start = WriteTimes.now
    /// When the body began; the time of the call until ``beginBody()``.
    private var began: UInt64
    /// When the body ended; nil before.
    private var ended: UInt64?
    /// The author of the write, which some writes are given only at their end.
    var author: String?
    /// Where the write was called; nil for one with separate calls that begin and commit it.
    var call: CallSite?

    init(_ author: String?, _ call: CallSite?) {
        began = start
        (self.author, self.call) = (author, call)
    }

    private static var now: UInt64 { Platform.monotonicClock }

    /// The body begins, after a wait.
    mutating func beginBody() { began = Self.now }

    /// The body has ended.
    mutating func endBody() { ended = Self.now }

    /// The event for the monitor, made when the outcome is durable.
    func event(_ commit: Version?, _ metrics: GroupMetrics) -> TransactionEvent {
        let now = Self.now
        let ended = ended ?? now
        let isCommit = commit != nil
        // Without a sync to wait for, it is the time since the body ended.
        let sync = metrics.sync == .zero ? Self.duration(ended, now) : metrics.sync
        return TransactionEvent(
            version: commit.map { Realm.Version($0) }, author: author, call: call,
            wait: Self.duration(start, began), body: Self.duration(began, ended),
            sync: isCommit ? sync : .zero, duration: Self.duration(start, now),
            groupSize: isCommit ? metrics.commits : 0)
    }

    /// Zero if `end` is that of an earlier attempt, and so before `start`.
    private static func duration(_ start: UInt64, _ end: UInt64) -> Duration {
        .nanoseconds(end < start ? 0 : Int64(end - start))
    }
}

extension RealmStore {
    /// Begins to measure a write; nil without a monitor.
    @inline(__always)
    func times(_ author: String?, _ call: CallSite?) -> WriteTimes? {
        monitoring == nil ? nil : WriteTimes(author, call)
    }
}
