import Storage

/// The result of ``Realm/backUp(to:progress:)``.
public struct BackupReport: Sendable, Hashable {
    /// The version of the backup.
    public let version: Realm.Version
    /// Bytes that were copied.
    public let bytesCopied: Int
    /// Bytes of the backup that were kept from the previous one.
    public let bytesKept: Int
    /// Whether it continues a previous backup.
    public let isIncremental: Bool
    /// Whether the key of the realm has changed since: the backup is opened with the new key from
    /// now on.
    public let hasNewKey: Bool
}

extension BackupReport: CustomStringConvertible {
    /// The report as text.
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
