import Storage
import Synchronization

/// Notifies the subscribers of a store of the commits that have become visible, in the order of
/// versions.
///
/// Subscribers are registered under the classes or the row that they watch, so that a commit that
/// touches none of them costs them nothing. A moment (a snapshot of the newest version) that
/// ``subscribe(_:)`` or ``capture(_:)`` returns agrees exactly with the commits that the subscriber
/// was notified of before: publishing and taking moments exclude each other.
final class CommitHub<Moment: Sendable>: Sendable {
    private typealias Subscribers = [ObjectIdentifier: any CommitSubscriber]

    private struct Table {
        var byClass: [ClassID: Subscribers] = [:]
        /// Those that watch one row.
        var byRow: [ClassID: [RowKey: Subscribers]] = [:]
        var ofEverything: Subscribers = [:]
        var ofVersions: [ObjectIdentifier: any VersionSubscriber] = [:]
        /// How many subscribers receive every version of a class.
        var everyVersion: [ClassID: Int] = [:]
        /// Set once the store was closed or has failed.
        var end: End?

        var isEmpty: Bool { byClass.isEmpty && byRow.isEmpty && ofEverything.isEmpty }

        /// All subscribers of commits.
        var all: Subscribers {
            var all = ofEverything
            for more in byClass.values { all.merge(more) { first, _ in first } }
            for rows in byRow.values {
                for more in rows.values { all.merge(more) { first, _ in first } }
            }
            return all
        }

        func watches(anyOf classes: [ClassID]) -> Bool {
            !ofEverything.isEmpty
                || classes.contains { byClass[$0] != nil || byRow[$0] != nil }
        }

        func deliversEveryVersion(of classes: [ClassID]) -> Bool {
            !everyVersion.isEmpty && classes.contains { everyVersion[$0] != nil }
        }

        /// Adds or removes a subscriber.
        mutating func set(
            _ subscriber: (any CommitSubscriber)?, _ identity: ObjectIdentifier,
            of interest: CommitInterest
        ) {
            switch interest {
            case .everything: ofEverything[identity] = subscriber
            case .classes(let classes):
                for id in classes {
                    let before = byClass[id]?[identity]
                    byClass[id, default: [:]][identity] = subscriber
                    if byClass[id]?.isEmpty == true { byClass[id] = nil }
                    countEveryVersion(of: id, subscriber, insteadOf: before)
                }
            case .row(let key, let id):
                let before = byRow[id]?[key]?[identity]
                byRow[id, default: [:]][key, default: [:]][identity] = subscriber
                if byRow[id]?[key]?.isEmpty == true { byRow[id]?[key] = nil }
                if byRow[id]?.isEmpty == true { byRow[id] = nil }
                countEveryVersion(of: id, subscriber, insteadOf: before)
            }
        }

        private mutating func countEveryVersion(
            of id: ClassID, _ subscriber: (any CommitSubscriber)?,
            insteadOf before: (any CommitSubscriber)?
        ) {
            let exact = { (subscriber: (any CommitSubscriber)?) in
                subscriber?.receivesEveryVersion == true ? 1 : 0
            }
            let count = (everyVersion[id] ?? 0) + exact(subscriber) - exact(before)
            everyVersion[id] = count == 0 ? nil : count
        }

        /// Calls `body` with the subscribers of the rows that a commit has touched in a class. In
        /// time linear in these or in the watched rows, whichever are fewer.
        func forEachSubscriber(
            ofRowsIn changes: ClassChanges, of id: ClassID,
            _ body: (any CommitSubscriber) -> Void
        ) {
            guard let watched = byRow[id] else { return }
            if watched.count < changes.rowCount {
                for (key, subscribers) in watched where changes.touches(key) {
                    for subscriber in subscribers.values { body(subscriber) }
                }
            } else {
                changes.forEachRow { key in
                    guard let subscribers = watched[key] else { return }
                    for subscriber in subscribers.values { body(subscriber) }
                }
            }
        }
    }

    private struct End {
        let error: RealmError?
    }

    /// Distinguishes this hub's streams from those of others.
    let id = CommitHubID()
    /// The merged marks that streams share while a commit is published.
    let folds = SharedFolds()
    private let table = Mutex(Table())
    private let latest: @Sendable () -> Moment?
    private let moment: @Sendable (SnapshotRoot) -> Moment?
    /// Whether any class has subscribers that receive every version.
    private let deliversEveryVersion = Atomic<Bool>(false)

    /// Makes a hub; `latest` takes a snapshot of the newest visible version, `moment` one of a
    /// given version. Neither may call the hub. Both return nil once the store is deallocated: a
    /// subscription does not retain it, and may ask before it is notified of the end.
    init(
        latest: @escaping @Sendable () -> Moment?,
        at moment: @escaping @Sendable (SnapshotRoot) -> Moment?
    ) {
        self.latest = latest
        self.moment = moment
    }

    /// Whether a subscriber needs a commit of these classes separately, even if it becomes visible
    /// together with others.
    func deliversEveryVersion(of classes: () -> [ClassID]) -> Bool {
        guard deliversEveryVersion.load(ordering: .acquiring) else { return false }
        let classes = classes()
        return table.withLock { $0.deliversEveryVersion(of: classes) }
    }

    /// Makes commits visible by calling `makeLatest`, then notifies the subscribers of what they
    /// touch.
    ///
    /// The caller publishes in the order of versions; commits that become visible together are
    /// published together, and `makeLatest` makes the last of them the newest version.
    ///
    /// The changes of a commit are computed outside of the lock, which new iterators need: that
    /// takes time proportional to the size of the commit. A subscriber that is added meanwhile may
    /// need a commit that no other needed; then this repeats.
    func publish(_ commits: [some PublishedCommit], makeLatest: () -> Void) {
        var changes: [Int: ChangeSet] = [:]
        while true {
            let (isPublished, wanted, wakings) = table.withLock { table in
                let wanted = Self.wanted(commits, beside: changes, table)
                if !wanted.isEmpty { return (false, wanted, [CommitWaking]()) }
                return (true, wanted, publish(commits, changes, table, makeLatest))
            }
            if isPublished {
                folds.forget()
                for wake in wakings { wake() }
                return
            }
            for index in wanted { changes[index] = commits[index].changeSet() }
        }
    }

    /// The commits that are watched and whose changes are not computed yet.
    private static func wanted(
        _ commits: [some PublishedCommit], beside known: [Int: ChangeSet],
        _ table: borrowing Table
    ) -> [Int] {
        if table.isEmpty { return [] }
        var wanted: [Int] = []
        for (index, commit) in commits.enumerated()
        where known[index] == nil && table.watches(anyOf: commit.touchedClasses) {
            wanted.append(index)
        }
        return wanted
    }

    /// Makes commits visible and notifies. Returns the closures that wake consumers, to be called
    /// outside of the lock.
    private func publish(
        _ commits: [some PublishedCommit], _ changes: [Int: ChangeSet], _ table: borrowing Table,
        _ makeLatest: () -> Void
    ) -> [CommitWaking] {
        let isSilenced = !table.isEmpty && commits.contains { !$0.silenced.isEmpty }
        let before = isSilenced ? latest() : nil
        makeLatest()
        var wakings: [CommitWaking] = []
        if let last = commits.last, !table.ofVersions.isEmpty {
            wakings = table.ofVersions.values.compactMap { $0.advanced(to: last.version) }
        }
        if table.isEmpty { return wakings }
        var early: [ObjectIdentifier: any MomentSubscriber<Moment>] = [:]
        for (index, commit) in commits.enumerated() {
            guard let changes = changes[index] else { continue }
            let notice = notice(commit, changes, table, before: before)
            // The folds of the previous commit: no stream needs them any more.
            folds.forget()
            Self.notify(table, notice, &early, &wakings)
            // Released outside of the lock.
            if notice.hasMoments { wakings.append { withExtendedLifetime(notice) {} } }
        }
        if !early.isEmpty, let moment = latest() {
            wakings += early.values.compactMap { $0.committed(nil, at: moment) }
            wakings.append { withExtendedLifetime(moment) {} }
        }
        if let before { wakings.append { withExtendedLifetime(before) {} } }
        return wakings
    }

    /// The notice of a commit that has become visible; `before` is the moment before a silenced
    /// one.
    private func notice(
        _ commit: some PublishedCommit, _ changes: ChangeSet, _ table: borrowing Table,
        before: Moment?
    ) -> CommitNotice<Moment> {
        var notice = CommitNotice<Moment>(changes: changes)
        if let before, !commit.silenced.isEmpty, let after = latest() {
            notice.silence = .init(tokens: commit.silenced, before: before, after: after)
        }
        if table.deliversEveryVersion(of: commit.touchedClasses) {
            notice.moment = commit.root.flatMap(moment)
        }
        return notice
    }

    private static func notify(
        _ table: borrowing Table, _ notice: CommitNotice<Moment>,
        _ early: inout [ObjectIdentifier: any MomentSubscriber<Moment>],
        _ wakings: inout [CommitWaking]
    ) {
        for subscriber in table.ofEverything.values {
            if let wake = notice.notify(subscriber, early: &early) { wakings.append(wake) }
        }
        if table.byClass.isEmpty, table.byRow.isEmpty { return }
        var notified: Set<ObjectIdentifier> = []
        let isAlone = notice.changes.classes.count == 1
        for (id, changes) in notice.changes.classes {
            for (identity, subscriber) in table.byClass[id] ?? [:]
            where isAlone || notified.insert(identity).inserted {
                if let wake = notice.notify(subscriber, early: &early) { wakings.append(wake) }
            }
            // Each watches one row, and so is notified once.
            table.forEachSubscriber(ofRowsIn: changes, of: id) { subscriber in
                if let wake = notice.notify(subscriber, early: &early) { wakings.append(wake) }
            }
        }
    }

    /// Adds a subscriber and returns the moment it starts from: it is notified of every later
    /// commit. On a hub that has ended, it is notified of the end at once. Nil if the store is
    /// deallocated.
    func subscribe(_ subscriber: any CommitSubscriber) -> Moment? {
        let identity = ObjectIdentifier(subscriber)
        let (moment, end) = table.withLock { table in
            if let end = table.end { return (latest(), Optional(end)) }
            table.set(subscriber, identity, of: subscriber.interest)
            noteEveryVersion(table)
            return (latest(), nil)
        }
        if let end { subscriber.ended(end.error) }
        return moment
    }

    /// Removes a subscriber, if it is there. It may still be notified of a commit that is being
    /// published.
    func unsubscribe(_ subscriber: any CommitSubscriber) {
        let identity = ObjectIdentifier(subscriber)
        table.withLock { table in
            table.set(nil, identity, of: subscriber.interest)
            noteEveryVersion(table)
        }
    }

    private func noteEveryVersion(_ table: borrowing Table) {
        deliversEveryVersion.store(!table.everyVersion.isEmpty, ordering: .releasing)
    }

    /// Adds a subscriber that is notified of newer versions. On a hub that has ended, it is
    /// notified of the end at once, unless it waits for the store to be reopened.
    func watchVersions(_ subscriber: any VersionSubscriber) {
        let end = table.withLock { table -> End? in
            if let end = table.end, !subscriber.outlivesEnd { return end }
            table.ofVersions[ObjectIdentifier(subscriber)] = subscriber
            return nil
        }
        if let end { subscriber.ended(end.error) }
    }

    /// Removes a subscriber of versions, if it is there.
    func unwatchVersions(_ subscriber: any VersionSubscriber) {
        table.withLock { $0.ofVersions[ObjectIdentifier(subscriber)] = nil }
    }

    /// The newest moment and the result of `take`, with no commit between the two. `take` gets
    /// whether the store is open. Nil, without calling it, when the store is deallocated.
    func capture<Taken: Sendable>(
        _ take: (_ isOpen: Bool) -> Taken
    ) -> (moment: Moment, taken: Taken)? {
        table.withLock { table in
            let isOpen = table.end == nil
            return latest().map { ($0, take(isOpen)) }
        }
    }

    /// Ends every subscription, with an error or because the store was closed.
    func end(_ error: RealmError?) {
        let (subscribers, watchers) = table.withLock { table in
            table.end = table.end ?? End(error: error)
            let subscribers = table.all
            let watchers = Array(table.ofVersions.values)
            table.byClass = [:]
            table.byRow = [:]
            table.everyVersion = [:]
            noteEveryVersion(table)
            table.ofEverything = [:]
            table.ofVersions = table.ofVersions.filter { $0.value.outlivesEnd }
            return (Array(subscribers.values), watchers)
        }
        for subscriber in subscribers { subscriber.ended(error) }
        for watcher in watchers {
            if watcher.outlivesEnd { watcher.storeEnded() } else { watcher.ended(error) }
        }
    }

    /// Accepts subscribers again after the store was reopened: `makeLatest` publishes the recovered
    /// version and returns it. Subscribers that waited for this are notified.
    func restart(_ makeLatest: () -> Version) {
        let wakings = table.withLock { table in
            table.end = nil
            let version = makeLatest()
            return table.ofVersions.values.compactMap { $0.advanced(to: version) }
        }
        for wake in wakings { wake() }
    }

    /// The backlogs that the subscribers keep for their consumers.
    var backlogs: [(identity: ObjectIdentifier, interest: CommitInterest, backlog: StreamBacklog)] {
        let subscribers = table.withLock { $0.all }
        return subscribers.compactMap { identity, subscriber in
            subscriber.backlog.map { (identity, subscriber.interest, $0) }
        }
    }

    /// The number of subscriptions, for tests and statistics.
    var count: Int { table.withLock { $0.all.count } }
}

/// A commit that is being published to its subscribers. Its changes are computed only for them.
protocol PublishedCommit {
    var version: Version { get }
    var touchedClasses: [ClassID] { get }
    /// The version that it made; nil when only the last version of those published together was
    /// kept.
    var root: SnapshotRoot? { get }
    /// The streams that are not notified of it. Such a commit is published by itself, so that there
    /// is a moment before it and one after.
    var silenced: Set<ChangeStreamToken> { get }
    func changeSet() -> ChangeSet
}

extension CommitChanges: PublishedCommit {
    var touchedClasses: [ClassID] { classes }
    var silenced: Set<ChangeStreamToken> { attachment as? Set<ChangeStreamToken> ?? [] }
}

extension ChangeSet: PublishedCommit {
    var touchedClasses: [ClassID] { Array(classes.keys) }
    var root: SnapshotRoot? { nil }
    var silenced: Set<ChangeStreamToken> { [] }
    func changeSet() -> ChangeSet { self }
}
