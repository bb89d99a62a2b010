public import Foundation
import Storage

extension Realm.SharedLog {
    /// The state of a shared log, and of the hosts that append to it.
    public struct Overview: Sendable, Hashable {
        /// A host that has appended something.
        public struct Host: Sendable, Hashable {
            /// Its identifier, which is that of its folder: see ``Realm/Sharing/host``.
            public let id: UUID
            /// The newest entry of the log that it has appended.
            public let lastEntry: UInt64
            /// The version after that.
            public let version: Realm.Version
            /// How many entries others have appended since.
            public let entriesSince: Int
            /// Whether it has appended the newest entry of the log.
            public let isLastWriter: Bool
        }

        /// A copy of the realm in the log, with which new hosts begin.
        public struct Image: Sendable, Hashable {
            /// The first entry after it.
            public let nextEntry: UInt64
            /// How large it is.
            public let bytes: Int
        }

        /// The oldest entry that is kept; ``nextEntry`` when there is none.
        public let firstEntry: UInt64
        /// The number of the next entry.
        public let nextEntry: UInt64
        /// The newest version.
        public let version: Realm.Version
        /// How often a host has appended an entry after that of another one.
        public let epoch: UInt64
        /// The host that has appended the newest entry; nil in a log without entries.
        ///
        /// It usually has the writer lease, which is passed by messages and is not in the log: see
        /// ``Realm/Sharing/State/leaseHolder``.
        public let lastWriter: UUID?
        /// The hosts of the examined entries, that of the newest entry first. Hosts that only read
        /// do not appear in the log.
        public let hosts: [Host]
        /// The complete images, the newest first.
        public let images: [Image]
    }

    /// The position up to which a realm's folder has applied the log.
    public struct Copy: Sendable, Hashable {
        /// The host whose folder it is.
        public let host: UUID
        /// A lower bound of the next entry to apply: the position noted in the folder may be a
        /// little behind its contents.
        public let nextEntry: UInt64
        /// The version there.
        public let version: Realm.Version
    }

    /// Reads the state of the log, without opening the realm, without its key, and without writing
    /// anything.
    ///
    ///     let overview = try await log.overview()
    ///     let copy = try await log.copy(at: "orders.realm")
    ///     print(overview.nextEntry - (copy?.nextEntry ?? 0))      // entries that the folder lacks
    ///
    /// Linear in `entries`; their contents are not read. It needs only the privilege to read, and
    /// no standby. So it shows what the server has, whatever the durability: perhaps of a former
    /// primary, and perhaps entries that no standby has yet.
    ///
    /// - Parameter entries: how many of the newest entries are examined for ``Overview/hosts``.
    /// - Throws: ``RealmError``: the log cannot be reached or does not exist; `CancellationError`.
    public func overview(lookingAt entries: Int = 1000) async throws -> Overview {
        try await CancellableReading.run(progress: nil) { monitor in
            let log = try connect(for: .inspecting)
            defer { log.close() }
            do {
                return Overview(
                    try SharedLogOverview(of: log, entries: entries, monitor: monitor))
            } catch {
                // It may have failed because the task was cancelled.
                try monitor.check()
                throw error
            }
        }
    }

    /// The position up to which a folder has applied its shared log; nil for a realm without a
    /// shared log. The folder may be in use.
    ///
    /// - Throws: ``RealmError``: the folder cannot be read.
    public func copy(at path: String) async throws -> Copy? {
        try await CancellableReading.run(progress: nil) { _ in
            try SharedCopyPlace(of: path, POSIXFileSystem()).map { place in
                Copy(
                    host: place.host.uuid, nextEntry: place.next.rawValue,
                    version: Realm.Version(place.version))
            }
        }
    }
}

extension Realm.SharedLog.Overview {
    fileprivate init(_ overview: SharedLogOverview) {
        firstEntry = overview.head.first.rawValue
        nextEntry = overview.head.next.rawValue
        version = Realm.Version(rawValue: overview.newest?.versionBehind ?? 0)
        epoch = overview.newest?.epoch ?? 0
        let lastWriter = overview.newest?.host
        self.lastWriter = lastWriter?.uuid
        let last = overview.head.next.rawValue - 1
        hosts = overview.hosts.map { host in
            Host(
                id: host.host.uuid, lastEntry: host.slot.rawValue,
                version: Realm.Version(host.version),
                entriesSince: Int(last - host.slot.rawValue),
                isLastWriter: host.host == lastWriter)
        }
        images = overview.images.map { Image(nextEntry: $0.slot.rawValue, bytes: $0.bytes) }
    }
}
