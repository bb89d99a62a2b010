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
            /// Whether the log's engine answered the last request. Reading continues without it.
            public let isConnected: Bool
            /// The host of the last commit that this host has read; nil for none.
            public let lastWriter: UUID?
            /// Entries of the log that this host had not applied at its last request, up to the
            /// size of one batch.
            public let entriesBehind: Int
        }

        let store: OpenStore

        /// The identifier of this host, which is that of the realm's folder; nil without a shared
        /// log.
        public var host: UUID? { store.hosts?.journal.host.uuid }

        /// The present state.
        public var state: State { State(store.hosts?.status ?? .init()) }

        /// The present state and each later one; a slow consumer gets only the newest. Ends with
        /// the task that iterates.
        public var states: AsyncStream<State> {
            AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
                guard let hosts = store.hosts else {
                    continuation.yield(state)
                    return
                }
                let number = hosts.watch { continuation.yield(State($0)) }
                // `hosts` is looked up now: a realm that was reopened has moved its watchers to a
                // new one.
                continuation.onTermination = { [weak store] _ in store?.hosts?.unwatch(number) }
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
    ///   cancelled, which does not wait for the engine.
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
            entriesBehind: status.entriesBehind)
    }
}
