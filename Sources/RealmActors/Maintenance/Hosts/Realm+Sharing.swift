public import Foundation
import Storage

extension Realm {
    /// The state of this host relative to the others that have the realm open.
    ///
    /// A realm without a ``Configuration/sharedLog`` has no others: it is connected, and nothing is
    /// behind.
    public var sharing: Sharing { Sharing(store: store.open) }

    /// This host among those that share a realm's log.
    public struct Sharing: Sendable {
        /// The state of a host relative to the others.
        public struct State: Sendable, Hashable {
            /// Whether the log's engine answered when it was last asked. Reading continues without.
            public let isConnected: Bool
            /// The host that has committed last, as far as this one has read; nil for none.
            public let lastWriter: UUID?
            /// Entries of the log that this host had not applied when it last asked; of many, those
            /// that it saw at once.
            public let entriesBehind: Int
        }

        let store: OpenStore

        /// The identifier of this host, which is that of the realm's folder; nil without a shared
        /// log.
        public var host: UUID? { store.hosts?.journal.host.uuid }

        /// The present state.
        public var state: State { State(store.hosts?.status ?? .init()) }

        /// The state, and each later one; a consumer that is slow gets the newest. Ends with the
        /// task that iterates.
        public var states: AsyncStream<State> {
            AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
                guard let hosts = store.hosts else {
                    continuation.yield(state)
                    return
                }
                let number = hosts.watch { continuation.yield(State($0)) }
                // A realm that was reopened has handed its watchers over.
                continuation.onTermination = { [weak store] _ in store?.hosts?.unwatch(number) }
            }
        }
    }

    /// How far ``refreshed(_:)`` reads.
    public enum Freshness: Sendable, Hashable {
        /// To the end of the log, as it is during the call.
        case toNewest
    }

    /// A snapshot that shows every commit, of any host, that was done before this call began:
    /// reading it is linearizable. One commit may be later.
    ///
    /// ``snapshot(label:)`` shows a version that may be behind what other hosts have committed.
    /// Waits for the turn to write after the writes of this host.
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
    /// Reads everything that other hosts have committed before this call.
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
