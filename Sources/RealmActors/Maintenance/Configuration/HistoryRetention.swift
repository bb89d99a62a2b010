import Storage

extension Realm.Configuration {
    /// How long commits are kept for ``Realm/commits(since:)``.
    public enum History: Sendable, Hashable {
        /// Until a checkpoint makes their log segments obsolete. Costs nothing. Enough for running
        /// streams, for which the log is kept while there is space, and for a consumer that resumes
        /// soon after a restart, but not after a long absence. Only commits that are made while a
        /// consumer follows them have old values; on a shared log, none.
        case untilCompacted
        /// For the given time or size, with old values: each commit also logs the values that it
        /// replaces and all values of deleted objects. A realm in memory then keeps its log and
        /// other files in memory, too. On a full disk deletions are logged without old values (on a
        /// shared log, only in the folder of that host), and ``Realm/compact(progress:)`` trims the
        /// oldest history.
        case keep(Extent)

        /// How much of the history is kept.
        public enum Extent: Sendable, Hashable {
            /// The commits of this time, and the rest of their log files.
            case time(Duration)
            /// The newest commits, this many bytes of log, in whole files of up to 16 MiB.
            case bytes(Int)
        }

        /// For the given time.
        public static func keep(for duration: Duration) -> History { .keep(.time(duration)) }

        /// The newest commits, this many bytes of log.
        public static func keep(bytes: Int) -> History { .keep(.bytes(bytes)) }
    }
}

extension Realm.Configuration.History: CustomStringConvertible {
    /// The setting as it is written in code.
    public var description: String {
        switch self {
        case .untilCompacted: ".untilCompacted"
        case .keep(.time(let duration)): ".keep(for: \(duration))"
        case .keep(.bytes(let bytes)): ".keep(bytes: \(bytes))"
        }
    }
}

extension Realm.Configuration.History {
    /// Whether history is kept beyond what recovery needs.
    var isKept: Bool { self != .untilCompacted }

    /// Whether the extent is valid.
    var isPossible: Bool {
        switch self {
        case .untilCompacted: true
        case .keep(.time(let duration)): duration >= .zero
        case .keep(.bytes(let bytes)): bytes >= 0
        }
    }

    var policy: HistoryPolicy {
        switch self {
        case .untilCompacted: .untilCheckpoint
        case .keep(.time(let duration)): .seconds(duration / .seconds(1))
        case .keep(.bytes(let bytes)): .bytes(bytes)
        }
    }
}
