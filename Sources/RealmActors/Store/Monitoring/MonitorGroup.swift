/// A monitor that notifies several others of every event.
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
