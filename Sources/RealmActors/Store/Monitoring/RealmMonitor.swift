/// Is notified of what goes on in realms: for logs, metrics and traces.
///
///     struct SlowWrites: RealmMonitor {
///         func transactionWasSlow(_ event: TransactionEvent, in realm: String) {
///             print(realm, event)
///         }
///     }
///     configuration.monitor = SlowWrites()
///
/// Every method has an implementation that does nothing, so that a monitor has those that it wants,
/// and more events break none. `realm` is the path of the realm, or its identifier in memory.
///
/// ``committed(_:in:)`` and ``transactionWasSlow(_:in:)`` are called in the task that wrote, when
/// its commit is durable and others write already: a monitor that takes long delays the return of
/// that write and nothing else. All other methods are called one after another in a task of the
/// realm's own, which has nobody waiting; what comes meanwhile is kept, up to 1,024 events, and
/// dropped beyond. No lock and no write turn is held, so that a monitor may read the realm
/// and begin writes in tasks.
public protocol RealmMonitor: Sendable {
    /// A transaction of this process has become durable.
    func committed(_ event: TransactionEvent, in realm: String)
    /// A transaction took longer than ``MonitorLimits/slowTransaction``, also one that made no
    /// commit.
    func transactionWasSlow(_ event: TransactionEvent, in realm: String)
    /// A checkpoint was written.
    func checkpointed(_ event: CheckpointEvent, in realm: String)
    /// Space that was not in use any more was given back, or moved together.
    func compacted(_ event: CompactionEvent, in realm: String)
    /// How nodes were found since the event before.
    func cacheWasUsed(_ event: CacheEvent, in realm: String)
    /// A version has been held for longer than ``MonitorLimits/heldVersion``: reported once.
    func versionIsHeld(_ version: ActiveVersion, in realm: String)
    /// The consumer of a change stream has not requested an element that is due for longer than
    /// ``MonitorLimits/streamLag``: reported once, until it does.
    func streamLags(_ event: StreamLagEvent, in realm: String)
    /// The writer lease of a realm that several processes have open came to this process, or left
    /// it.
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

/// From when on a ``RealmMonitor`` is notified of what takes long.
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

/// Monitors that are all notified of the same.
public struct MonitorGroup: RealmMonitor {
    /// The monitors, in the order in which they are called.
    public let monitors: [any RealmMonitor]

    /// Makes one monitor of several.
    public init(_ monitors: any RealmMonitor...) { self.monitors = monitors }

    /// Notifies all monitors.
    public func committed(_ event: TransactionEvent, in realm: String) {
        for monitor in monitors { monitor.committed(event, in: realm) }
    }

    /// Notifies all monitors.
    public func transactionWasSlow(_ event: TransactionEvent, in realm: String) {
        for monitor in monitors { monitor.transactionWasSlow(event, in: realm) }
    }

    /// Notifies all monitors.
    public func checkpointed(_ event: CheckpointEvent, in realm: String) {
        for monitor in monitors { monitor.checkpointed(event, in: realm) }
    }

    /// Notifies all monitors.
    public func compacted(_ event: CompactionEvent, in realm: String) {
        for monitor in monitors { monitor.compacted(event, in: realm) }
    }

    /// Notifies all monitors.
    public func cacheWasUsed(_ event: CacheEvent, in realm: String) {
        for monitor in monitors { monitor.cacheWasUsed(event, in: realm) }
    }

    /// Notifies all monitors.
    public func versionIsHeld(_ version: ActiveVersion, in realm: String) {
        for monitor in monitors { monitor.versionIsHeld(version, in: realm) }
    }

    /// Notifies all monitors.
    public func streamLags(_ event: StreamLagEvent, in realm: String) {
        for monitor in monitors { monitor.streamLags(event, in: realm) }
    }

    /// Notifies all monitors.
    public func leaseMoved(_ event: LeaseEvent, in realm: String) {
        for monitor in monitors { monitor.leaseMoved(event, in: realm) }
    }
}
