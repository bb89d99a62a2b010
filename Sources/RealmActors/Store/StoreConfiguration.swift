/// What an open store needs of its configuration. The configuration itself also describes
/// migrations, and so belongs to a higher layer.
protocol StoreConfiguration: Sendable {
    /// The folder; nil in memory.
    var path: String? { get }
    /// The identifier of a store in memory.
    var inMemoryIdentifier: String? { get }
    var readOnly: Bool { get }
    var encryptionKey: EncryptionKey? { get }
    /// How long a write waits for its turn; nil for as long as it takes.
    var writeTimeout: Duration? { get }
    var maximumNumberOfActiveVersions: UInt? { get }
    /// How long a write waits for a version to be released when too many are held.
    var releaseTimeout: Duration { get }
    /// How often the log is synced; nil when every commit is.
    var syncInterval: Duration? { get }
    /// The monitor, which is notified of what happens in the store.
    var monitor: (any RealmMonitor)? { get }
    var monitorLimits: MonitorLimits { get }
}
