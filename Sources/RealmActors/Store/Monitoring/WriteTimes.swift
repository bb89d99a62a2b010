import Storage
import Synchronization

/// When the parts of a write came, for a monitor. A reference, so that writes which nobody monitors
/// keep no room for it in their tasks.
final class WriteTimes: Sendable {
    private struct Parts {
        var author: String?
        var call: CallSite?
        var began: ContinuousClock.Instant?
        var ended: ContinuousClock.Instant?
    }

    private let start = ContinuousClock.now
    private let parts: Mutex<Parts>

    init(_ author: String?, _ call: CallSite?) {
        parts = Mutex(Parts(author: author, call: call))
    }

    /// Where the write was called; none is set for one that was begun and committed by calls of
    /// their own.
    func note(_ call: CallSite) { parts.withLock { $0.call = call } }

    /// The tag of the write, which some only have at its end.
    func note(author: String?) { parts.withLock { $0.author = author } }

    /// The body begins, after a wait. Each look at the clock costs a write some of its time.
    func beginBody() {
        let now = ContinuousClock.now
        parts.withLock { $0.began = now }
    }

    /// The body has ended.
    func endBody() {
        let now = ContinuousClock.now
        parts.withLock { $0.ended = now }
    }

    /// What a monitor is told when the outcome is durable.
    func event(_ commit: Version?, _ figures: GroupFigures) -> TransactionEvent {
        let now = ContinuousClock.now
        let parts = parts.withLock { $0 }
        let began = parts.began ?? start
        let ended = parts.ended ?? now
        let isCommit = commit != nil
        // Where nobody waits for the disk, what is behind the body is that.
        let sync = figures.sync == .zero ? ended.duration(to: now) : figures.sync
        return TransactionEvent(
            version: commit.map { Realm.Version($0) }, author: parts.author, call: parts.call,
            wait: start.duration(to: began), body: began.duration(to: ended),
            sync: isCommit ? sync : .zero, duration: start.duration(to: now),
            groupSize: isCommit ? figures.commits : 0)
    }
}

extension RealmStore {
    /// Begins to measure a write; nil when nobody monitors the store.
    @inline(__always)
    func times(_ author: String?, _ call: CallSite?) -> WriteTimes? {
        monitoring == nil ? nil : WriteTimes(author, call)
    }
}
