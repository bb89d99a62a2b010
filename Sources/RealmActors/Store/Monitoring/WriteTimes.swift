import Dispatch
import Storage
import Synchronization

/// When the parts of a write came, for a monitor. A reference, so that writes which nobody monitors
/// keep no room for it in their tasks.
///
/// All of it takes a write a tenth of a microsecond: moments are nanoseconds, since arithmetic on
/// instants of a clock takes as long as a look at it.
final class WriteTimes: Sendable {
    private struct Labels {
        var author: String?
        var call: CallSite?
    }

    private let start = WriteTimes.now
    /// When the body began; 0 as long as nothing says that it did later than the call.
    private let began = Atomic<UInt64>(0)
    /// When the body ended; 0 before.
    private let ended = Atomic<UInt64>(0)
    private let labels: Mutex<Labels>

    init(_ author: String?, _ call: CallSite?) {
        labels = Mutex(Labels(author: author, call: call))
    }

    private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// Where the write was called; none is set for one that was begun and committed by calls of
    /// their own.
    func note(_ call: CallSite) { labels.withLock { $0.call = call } }

    /// The tag of the write, which some only have at its end.
    func note(author: String?) { labels.withLock { $0.author = author } }

    /// The body begins, after a wait.
    func beginBody() { began.store(Self.now, ordering: .relaxed) }

    /// The body has ended.
    func endBody() { ended.store(Self.now, ordering: .relaxed) }

    /// What a monitor is told when the outcome is durable.
    func event(_ commit: Version?, _ figures: GroupFigures) -> TransactionEvent {
        let now = Self.now
        let labels = labels.withLock { $0 }
        let began = max(began.load(ordering: .relaxed), start)
        let noted = ended.load(ordering: .relaxed)
        let ended = noted == 0 ? now : noted
        let isCommit = commit != nil
        // Where nobody waits for the disk, what is behind the body is that.
        let sync = figures.sync == .zero ? Self.duration(ended, now) : figures.sync
        return TransactionEvent(
            version: commit.map { Realm.Version($0) }, author: labels.author, call: labels.call,
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
