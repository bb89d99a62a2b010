/// How long something takes before a ``RealmMonitor`` is notified of it as slow.
public struct MonitorLimits: Sendable, Hashable {
    /// How long a transaction may take, with its wait for others and for the disk.
    public var slowTransaction = Duration.milliseconds(250)
    /// How long a version may be held.
    public var heldVersion = Duration.seconds(60)
    /// For how long the consumer of a change stream may not request an element that is due.
    public var streamLag = Duration.seconds(5)
    /// How often versions, streams and the cache are examined: every 10 ms at most.
    public var interval = Duration.seconds(1)

    /// The usual limits.
    public init() {}
}
