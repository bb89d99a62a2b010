import Foundation

/// Which version of the past is asked for.
package enum PastPoint: Sendable {
    case version(Version)
    /// The newest that was made at this time or before, in seconds since 1970.
    case time(Double)
}

extension TransactionEngine {
    /// A version of the past: the newest one, with the commits behind it taken back as the log has
    /// what they replaced. Nothing of it is written anywhere.
    ///
    /// Blocks on the disk, for as long as it takes to read those commits: not for the cooperative
    /// pool. It takes memory for what differs from the newest version.
    ///
    /// Throws ``HistoryError``, and `CancellationError` when `monitor` is cancelled meanwhile.
    package func version(
        asOf point: PastPoint, _ monitor: ReadingMonitor
    ) throws -> SnapshotRoot {
        // Before the log is looked at, which may only grow behind what is published.
        let latest = self.latest
        switch point {
        case .version(let version):
            if version == latest.version { return latest }
            // One that is published from here on is none of the past.
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

/// What the log says of the commits behind a version of the past.
private struct PastReading {
    private let point: PastPoint
    private var cursor: HistoryCursor
    /// The version that is asked for, as far as it is known.
    private var name: VersionName
    private var rewind = TreeRewind()
    /// Whether ``name`` is what is asked for.
    private var isFound: Bool

    init(_ point: PastPoint, of engine: TransactionEngine) throws(HistoryError) {
        self.point = point
        switch point {
        case .version(let version):
            cursor = try HistoryCursor(behind: version, of: engine)
            isFound = true
        case .time:
            cursor = try HistoryCursor(oldestOf: engine)
            // Nothing was there before the first commit, whenever that was made.
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
        if case .time(let time) = point, commit.time <= time {
            name = VersionName(version: commit.version, life: commit.life)
            isFound = true
            rewind.clear()
        } else {
            rewind.add(commit)
        }
    }

    /// The version, which is `latest` without the commits that were read.
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
                throw .corrupted(
                    segment: "log", offset: 0,
                    reason: "the commits behind version \(name.version): \(error.reason)")
            }
            try reading.requireAll()
            return tree.capture(version: name.version, life: name.life, takenBackFrom: latest)
        }
    }
}
