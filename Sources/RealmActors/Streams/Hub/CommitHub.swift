import Storage
import Synchronization

/// Tells the subscribers of a store which commits have become visible, in the order of versions.
///
/// Subscribers stand under the classes they watch, so that a commit that touches none of them costs
/// them nothing. A moment (a snapshot of the newest version) that ``subscribe(_:)`` or
/// ``capture(_:)`` returns agrees exactly with the commits that the subscriber was told of before:
/// publishing and taking moments exclude each other.
final class CommitHub<Moment: Sendable>: Sendable {
    private struct Table {
        var byClass: [ClassID: [ObjectIdentifier: any CommitSubscriber]] = [:]
        var ofEverything: [ObjectIdentifier: any CommitSubscriber] = [:]
        var ofVersions: [ObjectIdentifier: any VersionSubscriber] = [:]
        /// Set once the store was closed or has failed.
        var end: End?

        var isEmpty: Bool { byClass.isEmpty && ofEverything.isEmpty }

        func watches(anyOf classes: [ClassID]) -> Bool {
            !ofEverything.isEmpty || classes.contains { byClass[$0] != nil }
        }
    }

    private struct End {
        let error: RealmError?
    }

    /// Tells this hub's streams from those of others.
    let id = CommitHubID()
    private let table = Mutex(Table())
    private let latest: @Sendable () -> Moment

    /// Makes a hub; `latest` takes a snapshot of the newest visible version and must not call the
    /// hub.
    init(latest: @escaping @Sendable () -> Moment) {
        self.latest = latest
    }

    /// Makes commits visible by calling `makeLatest`, then tells those who watch what they touch.
    ///
    /// The caller publishes in the order of versions; commits that become visible together are
    /// published together, and `makeLatest` makes the last of them the newest version.
    func publish(_ commits: [some PublishedCommit], makeLatest: () -> Void) {
        let wakings = table.withLock { table in
            let isSilenced = !table.isEmpty && commits.contains { !$0.silenced.isEmpty }
            let before = isSilenced ? latest() : nil
            makeLatest()
            var wakings: [CommitWaking] = []
            if let last = commits.last, !table.ofVersions.isEmpty {
                wakings = table.ofVersions.values.compactMap { $0.advanced(to: last.version) }
            }
            if table.isEmpty { return wakings }
            for commit in commits where table.watches(anyOf: commit.touchedClasses) {
                var silence: Silence<Moment>?
                if let before, !commit.silenced.isEmpty {
                    silence = Silence(tokens: commit.silenced, before: before, after: latest())
                }
                Self.tell(table, commit.changeSet(), silence, &wakings)
            }
            // Given up without the lock.
            if let before { wakings.append { withExtendedLifetime(before) {} } }
            return wakings
        }
        for wake in wakings { wake() }
    }

    private static func tell(
        _ table: borrowing Table, _ changes: ChangeSet, _ silence: Silence<Moment>?,
        _ wakings: inout [CommitWaking]
    ) {
        if let silence { wakings.append { withExtendedLifetime(silence) {} } }
        for subscriber in table.ofEverything.values {
            if let wake = tell(subscriber, changes, silence) { wakings.append(wake) }
        }
        if table.byClass.isEmpty { return }
        var told: Set<ObjectIdentifier> = []
        let isAlone = changes.classes.count == 1
        for id in changes.classes.keys {
            guard let subscribers = table.byClass[id] else { continue }
            for (identity, subscriber) in subscribers
            where isAlone || told.insert(identity).inserted {
                if let wake = tell(subscriber, changes, silence) { wakings.append(wake) }
            }
        }
    }

    private static func tell(
        _ subscriber: any CommitSubscriber, _ changes: ChangeSet, _ silence: Silence<Moment>?
    ) -> CommitWaking? {
        silence.map { $0.tell(subscriber, changes) } ?? subscriber.committed(changes)
    }

    /// Adds a subscriber and returns the moment it starts from: it is told of every later commit.
    /// On a hub that has ended, it is told so at once.
    func subscribe(_ subscriber: any CommitSubscriber) -> Moment {
        let identity = ObjectIdentifier(subscriber)
        let (moment, end) = table.withLock { table in
            if let end = table.end { return (latest(), Optional(end)) }
            switch subscriber.interest {
            case .everything: table.ofEverything[identity] = subscriber
            case .classes(let classes):
                for id in classes { table.byClass[id, default: [:]][identity] = subscriber }
            }
            return (latest(), nil)
        }
        if let end { subscriber.ended(end.error) }
        return moment
    }

    /// Removes a subscriber; does nothing if it is not there. It may still be told of a commit that
    /// is being published.
    func unsubscribe(_ subscriber: any CommitSubscriber) {
        let identity = ObjectIdentifier(subscriber)
        table.withLock { table in
            switch subscriber.interest {
            case .everything: table.ofEverything[identity] = nil
            case .classes(let classes):
                for id in classes {
                    table.byClass[id]?[identity] = nil
                    if table.byClass[id]?.isEmpty == true { table.byClass[id] = nil }
                }
            }
        }
    }

    /// Adds whoever wants to know that there is a newer version. On a hub that has ended, it is
    /// told so at once.
    func watchVersions(_ subscriber: any VersionSubscriber) {
        let isEnded = table.withLock { table in
            if table.end != nil { return true }
            table.ofVersions[ObjectIdentifier(subscriber)] = subscriber
            return false
        }
        if isEnded { subscriber.ended() }
    }

    /// Removes whoever watches versions; does nothing if it is not there.
    func unwatchVersions(_ subscriber: any VersionSubscriber) {
        table.withLock { $0.ofVersions[ObjectIdentifier(subscriber)] = nil }
    }

    /// The newest moment, together with what `take` returns; no commit comes between the two.
    func capture<Taken: Sendable>(_ take: () -> Taken) -> (moment: Moment, taken: Taken) {
        table.withLock { _ in (latest(), take()) }
    }

    /// Ends every subscription, with an error or because the store was closed.
    func end(_ error: RealmError?) {
        let (subscribers, watchers) = table.withLock { table in
            table.end = table.end ?? End(error: error)
            var subscribers = table.ofEverything
            for more in table.byClass.values { subscribers.merge(more) { first, _ in first } }
            let watchers = Array(table.ofVersions.values)
            table.byClass = [:]
            table.ofEverything = [:]
            table.ofVersions = [:]
            return (Array(subscribers.values), watchers)
        }
        for subscriber in subscribers { subscriber.ended(error) }
        for watcher in watchers { watcher.ended() }
    }

    /// Takes subscribers again, after the store was reopened.
    func restart() {
        table.withLock { $0.end = nil }
    }

    /// How many subscriptions there are, for tests and statistics.
    var count: Int {
        table.withLock { table in
            var identities = Set(table.ofEverything.keys)
            for subscribers in table.byClass.values { identities.formUnion(subscribers.keys) }
            return identities.count
        }
    }
}

/// A commit on its way to those who watch. Its changes are worked out only for them.
protocol PublishedCommit {
    var version: Version { get }
    var touchedClasses: [ClassID] { get }
    /// The streams that are not told of it. Such a commit is published by itself, so that there is
    /// a moment before it and one behind.
    var silenced: Set<ChangeStreamToken> { get }
    func changeSet() -> ChangeSet
}

extension CommitChanges: PublishedCommit {
    var touchedClasses: [ClassID] { classes }
    var silenced: Set<ChangeStreamToken> { attachment as? Set<ChangeStreamToken> ?? [] }
}

extension ChangeSet: PublishedCommit {
    var touchedClasses: [ClassID] { Array(classes.keys) }
    var silenced: Set<ChangeStreamToken> { [] }
    func changeSet() -> ChangeSet { self }
}
