/// Receives the events of realms: for logs, metrics and traces.
///
///     struct SlowWrites: RealmMonitor {
///         func transactionWasSlow(_ event: TransactionEvent, in realm: String) {
///             print(realm, event)
///         }
///     }
///     configuration.monitor = SlowWrites()
///
/// Every method has a default implementation that does nothing, so that a monitor implements those
/// that it needs, and new events break no monitor. `realm` is the path of the realm, or its
/// identifier in memory.
///
/// ``committed(_:in:)`` and ``transactionWasSlow(_:in:)`` are called in the task that wrote, when
/// its commit is durable and the next writes are running: a slow monitor delays the return of that
/// write and nothing else. All other methods are called one after another in a separate task of the
/// realm, for which no write waits; up to 1,024 events are queued, and further ones are dropped. No
/// lock and no write turn is held, so that a monitor may read the realm and begin writes in tasks.
public protocol RealmMonitor: Sendable {
    /// A transaction of this process has become durable.
    func committed(_ event: TransactionEvent, in realm: String)
    /// A transaction took longer than ``MonitorLimits/slowTransaction``, even if it made no commit.
    func transactionWasSlow(_ event: TransactionEvent, in realm: String)
    /// A checkpoint was written.
    func checkpointed(_ event: CheckpointEvent, in realm: String)
    /// Unused space was returned to the file system, or made contiguous.
    func compacted(_ event: CompactionEvent, in realm: String)
    /// How nodes were found since the event before.
    func cacheWasUsed(_ event: CacheEvent, in realm: String)
    /// A version has been held for longer than ``MonitorLimits/heldVersion``: reported once.
    func versionIsHeld(_ version: ActiveVersion, in realm: String)
    /// The consumer of a change stream has not requested an element that is due for longer than
    /// ``MonitorLimits/streamLag``: reported once, until it does.
    func streamLags(_ event: StreamLagEvent, in realm: String)
    /// This process acquired or released the writer lease of a realm that several processes have
    /// open.
    func leaseMoved(_ event: LeaseEvent, in realm: String)
}

extension RealmMonitor {
    /// Does nothing.
    public func committed(_ event: TransactionEvent, in realm: String) {}
    /// Does nothing.
    public func transactionWasSlow(_ event: TransactionEvent, in realm: String) {}
    /// Does nothing.
    public func checkpointed(_ event: CheckpointEvent, in realm: String) {}
    /// Does nothing.
    public func compacted(_ event: CompactionEvent, in realm: String) {}
    /// Does nothing.
    public func cacheWasUsed(_ event: CacheEvent, in realm: String) {}
    /// Does nothing.
    public func versionIsHeld(_ version: ActiveVersion, in realm: String) {}
    /// Does nothing.
    public func streamLags(_ event: StreamLagEvent, in realm: String) {}
    /// Does nothing.
    public func leaseMoved(_ event: LeaseEvent, in realm: String) {}
}
