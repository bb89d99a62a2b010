import Storage

/// What ``Realm/backUp(to:progress:)`` did.
public struct BackupReport: Sendable, Hashable {
    /// The version that the backup has.
    public let version: Realm.Version
    /// Bytes that were copied.
    public let bytesCopied: Int
    /// Bytes of the backup that were there from the one before.
    public let bytesKept: Int
    /// Whether there was one before, which this one continues.
    public let isIncremental: Bool
    /// Whether the realm has been given another key since: the backup is opened with that from now
    /// on.
    public let hasNewKey: Bool
}

extension BackupReport: CustomStringConvertible {
    /// What was done, for people.
    public var description: String {
        let kept = isIncremental ? "; \(bytesKept) bytes were there already" : ""
        let key = hasNewKey ? " It has the realm's new key." : ""
        return "Version \(version): \(bytesCopied) bytes were copied\(kept).\(key)"
    }
}

extension BackupReport {
    init(_ outcome: StoreBackup.Outcome) {
        version = Realm.Version(outcome.version)
        bytesCopied = outcome.copied
        bytesKept = outcome.kept
        isIncremental = outcome.isIncremental
        hasNewKey = outcome.hasNewKey
    }
}
