import Storage

/// When the parts of a write came, for a monitor.
struct WriteTimes: Sendable {
    /// The tag of the write, which some only have at its end.
    var author: String?
    /// Where the write was called; nil for one that was begun and committed by calls of their own.
    var call: CallSite?
    private let start = ContinuousClock.now
    private var began: ContinuousClock.Instant?
    private var ended: ContinuousClock.Instant?

    init(_ author: String?, _ call: CallSite?) {
        self.author = author
        self.call = call
    }

    /// The body begins, after a wait. Each look at the clock costs a write some of its time.
    mutating func beginBody() { began = .now }

    /// The body has ended.
    mutating func endBody() { ended = .now }

    /// What a monitor is told when the outcome is durable.
    func event(_ commit: Version?, _ figures: GroupFigures) -> TransactionEvent {
        let now = ContinuousClock.now
        let began = began ?? start
        let ended = ended ?? now
        let isCommit = commit != nil
        // Where nobody waits for the disk, what is behind the body is that.
        let sync = figures.sync == .zero ? ended.duration(to: now) : figures.sync
        return TransactionEvent(
            version: commit.map { Realm.Version($0) }, author: author, call: call,
            wait: start.duration(to: began), body: began.duration(to: ended),
            sync: isCommit ? sync : .zero, duration: start.duration(to: now),
            groupSize: isCommit ? figures.commits : 0)
    }
}

extension RealmStore {
    /// Begins to measure a write; nil when nobody monitors the store.
    func times(_ author: String?, _ call: CallSite?) -> WriteTimes? {
        monitoring == nil ? nil : WriteTimes(author, call)
    }
}
