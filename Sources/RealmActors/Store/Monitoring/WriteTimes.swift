import Storage

/// When the parts of a write came, for a monitor.
///
/// Most of what that takes are three looks at the clock. Moments are nanoseconds, since arithmetic
/// on instants of a clock takes as long as a look at it.
struct WriteTimes: Sendable {
    private let start = WriteTimes.now
    /// When the body began; the start as long as nothing says that it did later than the call.
    private var began: UInt64
    /// When the body ended; nil before.
    private var ended: UInt64?
    /// The tag of the write, which some only have at its end.
    var author: String?
    /// Where the write was called; nil for one that was begun and committed by calls of their own.
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

    /// What a monitor receives when the outcome is durable.
    func event(_ commit: Version?, _ figures: GroupFigures) -> TransactionEvent {
        let now = Self.now
        let ended = ended ?? now
        let isCommit = commit != nil
        // Where nobody waits for the disk, what is behind the body is that.
        let sync = figures.sync == .zero ? Self.duration(ended, now) : figures.sync
        return TransactionEvent(
            version: commit.map { Realm.Version($0) }, author: author, call: call,
            wait: Self.duration(start, began), body: Self.duration(began, ended),
            sync: isCommit ? sync : .zero, duration: Self.duration(start, now),
            groupSize: isCommit ? figures.commits : 0)
    }

    /// Zero where a later attempt began behind what an earlier one noted.
    private static func duration(_ start: UInt64, _ end: UInt64) -> Duration {
        .nanoseconds(end < start ? 0 : Int64(end - start))
    }
}

extension RealmStore {
    /// Begins to measure a write; nil when nobody monitors the store.
    @inline(__always)
    func times(_ author: String?, _ call: CallSite?) -> WriteTimes? {
        monitoring == nil ? nil : WriteTimes(author, call)
    }
}
