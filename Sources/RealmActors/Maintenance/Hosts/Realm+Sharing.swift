public import Foundation
import Storage

extension Realm {
    /// The state of this host relative to the other hosts of the realm.
    ///
    /// A realm without a ``Configuration/sharedLog`` is always connected, with no entries behind.
    public var sharing: Sharing { Sharing(store: store.open) }

    /// A host among those that share a realm's log.
    public struct Sharing: Sendable {
        /// The state of a host relative to the others.
        public struct State: Sendable, Hashable {
            /// Whether the log's engine answered the last request, and the response lacked no entry
            /// that the engine is known to have. Reading continues without it.
            public let isConnected: Bool
            /// The host of the last entry of the log that this host has applied; nil for none.
            public let lastWriter: UUID?
            /// The host that has the writer lease, as far as this host knows from entries and
            /// messages; nil if it does not, as after an opening.
            ///
            /// For display only: messages may be lost, a host that waits takes the lease over, and
            /// writes without the lease are not refused.
            public let leaseHolder: UUID?
            /// Entries of the log that this host has not applied, as far as it knows: from the
            /// notifications of PostgreSQL, and otherwise from its last request, in object storage
            /// up to 1,000. An entry has one or more commits, or a part of a large one.
            public let entriesBehind: Int
            /// By how much the version of the newest entry that this host has examined is higher
            /// than its own. Entries that it only knows to exist are not included: their versions
            /// are read once per second while this host waits to apply others, and when many were
            /// appended at once.
            public let versionsBehind: Int
            /// Why this host could not apply the commits of others at its last attempt, such as a
            /// failure of its disk; nil once it has applied some, or there are none. It retries,
            /// unless its streams end with this error, and shows an older version meanwhile.
            public let lastError: RealmError?
        }

        let store: OpenStore

        /// The identifier of this host, which is that of the realm's folder; nil without a shared
        /// log. It changes if another host has the same, because one folder is a copy of the other.
        public var host: UUID? { store.hosts?.journal.host.uuid }

        /// The present state.
        public var state: State { State(store.hosts?.status ?? .init()) }

        /// The present state and each later one; a slow consumer gets only the newest.
        ///
        /// Ends with the task that iterates, and when the realm is closed, also by a
        /// ``Realm/reopen()`` that fails. It continues while the realm is suspended, after a
        /// failure, and after a ``Realm/reopen()`` that succeeds. Without a shared log it ends
        /// after the one state that there is; likewise in a realm that is closed already.
        public var states: AsyncStream<State> {
            AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
                guard let statuses = store.hosts?.statuses else {
                    continuation.yield(state)
                    return continuation.finish()
                }
                let number = statuses.watch {
                    continuation.yield(State($0))
                } ended: {
                    continuation.finish()
                }
                continuation.onTermination = { [weak statuses] _ in statuses?.unwatch(number) }
            }
        }
    }

    /// How far ``refreshed(_:)`` reads the log.
    public enum Freshness: Sendable, Hashable {
        /// To the end of the log at the time of the call.
        case toNewest
    }

    /// A snapshot with every commit of any host that was complete before this call began: a
    /// linearizable read. It may include later commits.
    ///
    /// ``snapshot(label:)`` may be behind the commits of other hosts. Waits for the write turn,
    /// after the earlier writes of this host.
    ///
    /// - Throws: ``RealmError/sharedLogUnavailable(reason:)`` when the engine does not answer
    ///   within `writeTimeout`; ``RealmError/closed``; `CancellationError` when the task is
    ///   cancelled, after the request in progress.
    public func refreshed(_ freshness: Freshness) async throws -> Snapshot {
        switch freshness {
        case .toNewest: try await store.catchUpWithHosts()
        }
        return snapshot()
    }
}

extension RealmStore {
    /// Reads all commits of other hosts before this call.
    ///
    /// - Throws: ``RealmError``; `CancellationError`.
    func catchUpWithHosts() async throws {
        try await RealmError.translating { try await open.refreshFromHosts() }
    }
}

extension Realm.Sharing.State {
    fileprivate init(_ status: HostSharing.Status) {
        self.init(
            isConnected: status.isConnected, lastWriter: status.lastWriter?.uuid,
            leaseHolder: status.leaseHolder?.uuid, entriesBehind: status.entriesBehind,
            versionsBehind: status.versionsBehind,
            lastError: status.lastError.map { RealmError($0) })
    }
}
