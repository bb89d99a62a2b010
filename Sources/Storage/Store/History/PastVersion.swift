import Foundation

/// A past version, by number or time.
package enum PastPoint: Sendable {
    case version(Version)
    /// The newest that was made at or before this time, in seconds since 1970.
    case time(Double)
}

extension TransactionEngine {
    /// A past version: the newest one, rewound over later commits with their old values from the
    /// log. It is only in memory.
    ///
    /// Blocks on the disk while it reads those commits: not for the cooperative pool. It needs
    /// memory for the difference to the newest version.
    ///
    /// Throws ``HistoryError``, and `CancellationError` when `monitor` is cancelled meanwhile.
    package func version(
        asOf point: PastPoint, _ monitor: ReadingMonitor
    ) throws -> SnapshotRoot {
        // Before the log is read, which only grows after the published version.
        let latest = self.latest
        switch point {
        case .version(let version):
            if version == latest.version { return latest }
            // A version that is published from here on is not past.
            guard version < latest.version else {
                throw HistoryError.future(newest: latest.version)
            }
        case .time(let time):
            if time >= Date().timeIntervalSince1970 { return latest }
        }
        let hold = HistoryHold(self)
        defer { withExtendedLifetime(hold) {} }
        var past = try PastReading(point, of: self)
        try past.read(upTo: latest.version, of: self, monitor)
        return try past.version(before: latest)
    }
}

/// The logged changes after a past version.
private struct PastReading {
    private let point: PastPoint
    private var cursor: HistoryCursor
    /// The requested version, as far as it is known.
    private var name: VersionName
    private var rewind = TreeRewind()
    /// Whether ``name`` is the requested version.
    private var isFound: Bool
    /// The time of the last commit that has one.
    private var lastTime = -Double.infinity

    init(_ point: PastPoint, of engine: TransactionEngine) throws(HistoryError) {
        self.point = point
        switch point {
        case .version(let version):
            cursor = try HistoryCursor(behind: version, of: engine)
            isFound = true
        case .time:
            cursor = try HistoryCursor(oldestOf: engine)
            // The empty version precedes the first commit, at any time.
            isFound = cursor.version == .zero
        }
        name = VersionName(version: cursor.version, life: cursor.startLife)
    }

    /// Reads the commits up to `last`.
    mutating func read(
        upTo last: Version, of engine: TransactionEngine, _ monitor: ReadingMonitor
    ) throws {
        while cursor.version < last, let commits = try cursor.next(of: engine, atLeast: 256) {
            try monitor.check()
            for commit in commits where commit.version <= last { note(commit) }
        }
    }

    private mutating func note(_ commit: LoggedCommit) {
        // Older releases wrote no time to commits that filled in a property on a shared log.
        if commit.time > 0 { lastTime = commit.time }
        if case .time(let time) = point, lastTime <= time {
            name = VersionName(version: commit.version, life: commit.life)
            isFound = true
            rewind.clear()
        } else {
            rewind.add(commit)
        }
    }

    /// The version: `latest` without the commits that were read.
    func version(before latest: SnapshotRoot) throws(HistoryError) -> SnapshotRoot {
        guard isFound else { throw .trimmed(oldest: name.version) }
        if let oldest = rewind.barrier { throw .irreversible(oldest: oldest) }
        if name == latest.name { return latest }
        return try HistoryError.translating { () throws(StorageError) in
            let reading = try latest.account.beginReading()
            let tree = WorkingTree(latest)
            do throws(RecordError) {
                try rewind.apply(to: tree)
            } catch {
                // After a failed read, the record only seems malformed.
                try reading.requireAll()
                throw .corrupted(
                    segment: "log", offset: 0,
                    reason: "the commits after version \(name.version): \(error.reason)")
            }
            try reading.requireAll()
            return tree.capture(version: name.version, life: name.life, rewoundFrom: latest)
        }
    }
}
