/// The durations beyond which a ``RealmMonitor`` is notified of slow operations.
public struct MonitorLimits: Sendable, Hashable {
    /// The duration of a transaction, including its waits for other writers and the disk.
    public var slowTransaction = Duration.milliseconds(250)
    /// How long a version is held.
    public var heldVersion = Duration.seconds(60)
    /// How long the consumer of a change stream does not request an element that is due.
    public var streamLag = Duration.seconds(5)
    /// How often versions, streams and the cache are examined: every 10 ms at most.
    public var interval = Duration.seconds(1)

    /// The default limits.
    public init() {}
}
