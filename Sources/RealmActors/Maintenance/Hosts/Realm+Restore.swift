public import Foundation
import Storage

extension Realm {
    /// Which version of a realm on a shared log is restored.
    public enum RestorePoint: Sendable, Hashable {
        /// The newest one.
        case newest
        /// That of this number.
        case version(Version)
        /// What was committed up to this date, by the clocks of the hosts that committed: the
        /// commits before the first one that is later.
        case date(Date)
    }

    /// Makes a realm of what a realm on a shared log was at one moment.
    ///
    ///     try await Realm.restore(from: log, asOf: .date(noon), to: "orders-at-noon.realm")
    ///
    /// It begins with the newest image that is not later, and applies the commits after it: what is
    /// before the oldest image, once the log was trimmed, cannot be restored any more. The new
    /// realm is one of this machine alone, and is opened without the shared log, whose hosts
    /// continue meanwhile.
    ///
    /// Takes disk space for a second copy beside the new realm, and no more memory than a realm
    /// that is open without a ``Configuration/memoryBudget``: a quarter of what the machine has.
    /// When it fails or the task is cancelled, nothing is at `path`.
    ///
    /// - Parameters:
    ///   - sharedLog: the log that the realm is on.
    ///   - point: the version.
    ///   - path: where the new realm is made; nothing may be there yet, but the folder around it.
    ///   - encryptionKey: the key of an encrypted realm. The new realm is encrypted with it, too.
    ///   - progress: called with the fraction of the new realm that is written, from 0 to 1, on a
    ///     thread of its own.
    /// - Returns: the version that was restored. The new realm counts from 1.
    /// - Throws: ``RealmError``: something is at `path` already, the log does not have the version,
    ///   or cannot be reached for 30 s, or a disk failed; `CancellationError` when the task is
    ///   cancelled.
    @discardableResult
    public static func restore(
        from sharedLog: SharedLog, asOf point: RestorePoint, to path: String,
        encryptionKey: EncryptionKey? = nil, progress: (@Sendable (Double) -> Void)? = nil
    ) async throws -> Version {
        let version = try await CancellableReading.run(progress: progress) { monitor in
            let realm = try SharedRealm.connecting(
                key: encryptionKey?.userKey, timeout: .seconds(30), monitor, sharedLog.look)
            return try SharedLogRestore(
                of: realm, asOf: point.target, to: path, POSIXFileSystem()
            ).run(monitor)
        }
        progress?(1)
        return Version(version)
    }
}

extension Realm.RestorePoint {
    fileprivate var target: SharedLogRestore.Target {
        switch self {
        case .newest: .newest
        case .version(let version): .version(Storage.Version(version.rawValue))
        case .date(let date): .time(date.timeIntervalSince1970)
        }
    }
}
