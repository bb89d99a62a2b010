public import Foundation
import Storage

extension Realm {
    /// Which version of a realm on a shared log is restored.
    public enum RestorePoint: Sendable, Hashable {
        /// The newest one.
        case newest
        /// The one with this number.
        case version(Version)
        /// The state at this date, by the clocks of the hosts that committed: all commits before
        /// the first one whose time is later. Commits of exactly this time are included.
        case date(Date)
    }

    /// Creates a realm from an earlier state of a realm on a shared log.
    ///
    ///     try await Realm.restore(from: log, asOf: .date(noon), to: "orders-at-noon.realm")
    ///
    /// It begins with the newest image without a later commit, and applies the commits after it:
    /// once the log was trimmed, a state before the oldest image cannot be restored. The error then
    /// names the oldest version, and a date, that can. The new realm is a local one, opened without
    /// the shared log, whose hosts continue meanwhile.
    ///
    /// Needs disk space for a second copy beside the new realm, and at most a quarter of the
    /// machine's memory, like a realm without a ``Configuration/memoryBudget``. When it fails or
    /// the task is cancelled, nothing is left at `path`.
    ///
    /// - Parameters:
    ///   - sharedLog: the log of the realm.
    ///   - point: the version to restore.
    ///   - path: the folder of the new realm, which must not exist yet; its parent must exist.
    ///   - encryptionKey: the key of an encrypted realm. The new realm is encrypted with it, too.
    ///   - progress: called with the fraction of the new realm that is written, from 0 to 1, on a
    ///     separate thread.
    /// - Returns: the version that was restored. The versions of the new realm begin at 1.
    /// - Throws: ``RealmError``: something is at `path` already, the log does not have the version,
    ///   or cannot be reached for 30 s, the date is not a number, or a disk failed;
    ///   `CancellationError` when the task is cancelled.
    @discardableResult
    public static func restore(
        from sharedLog: SharedLog, asOf point: RestorePoint, to path: String,
        encryptionKey: EncryptionKey? = nil, progress: (@Sendable (Double) -> Void)? = nil
    ) async throws -> Version {
        let target = try point.target
        let version = try await CancellableReading.run(progress: progress) { monitor in
            let realm = try SharedRealm.connecting(
                key: encryptionKey?.userKey, timeout: .seconds(30), monitor
            ) {
                try sharedLog.connect(for: .restoring)
            }
            return try SharedLogRestore(
                of: realm, asOf: target, to: path, POSIXFileSystem()
            ).run(monitor)
        }
        progress?(1)
        return Version(version)
    }
}

extension Realm.RestorePoint {
    fileprivate var target: SharedLogRestore.Target {
        get throws {
            switch self {
            case .newest: .newest
            case .version(let version): .version(Storage.Version(version.rawValue))
            case .date(let date): .time(try date.secondsOfPast)
            }
        }
    }
}
