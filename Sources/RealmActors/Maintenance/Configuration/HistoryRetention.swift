import Storage

extension Realm.Configuration {
    /// How long commits are kept for ``Realm/commits(since:)``.
    public enum History: Sendable, Hashable {
        /// For as long as the log has them anyway, which is until a checkpoint makes the files that
        /// they are in superfluous. Costs nothing. Enough for running streams, for which the log is
        /// kept while there is space, and for a consumer that resumes soon after a restart; not for
        /// one that is away for long. Old values are in commits that are made while a consumer
        /// follows them.
        case untilCompacted
        /// For the given time or size, with old values: each commit also logs what it replaces and
        /// all that deleted objects held. A realm in memory then has its log in memory, too, and
        /// what else would be in files. On a full disk deletions are logged without old values, and
        /// ``Realm/compact(progress:)`` trims the oldest history.
        case keep(Extent)

        /// How much of the history is kept.
        public enum Extent: Sendable, Hashable {
            /// The commits of this time, and the rest of the files that they are in.
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
    /// The setting as it is written.
    public var description: String {
        switch self {
        case .untilCompacted: ".untilCompacted"
        case .keep(.time(let duration)): ".keep(for: \(duration))"
        case .keep(.bytes(let bytes)): ".keep(bytes: \(bytes))"
        }
    }
}

extension Realm.Configuration.History {
    /// Whether it is kept on purpose.
    var isKept: Bool { self != .untilCompacted }

    /// Whether there can be so much of it.
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
