#if Metrics
    public import Metrics
    import Storage
    import Synchronization

    /// Records the events of realms as metrics. Every metric has the dimension `realm`; the names
    /// are in Documentation/Monitoring.md.
    public final class MetricsMonitor: RealmMonitor {
        /// The metrics of one realm.
        private final class Instruments: Sendable {
            let commits, slow, checkpoints, compactions, hits, misses: Counter
            let held, lagging, acquired, released: Counter
            let wait, body, sync, duration, checkpoint, compaction, lease: Timer
            let groupSize: Recorder
            let live, stored, resident: Gauge

            init(_ realm: String, _ factory: any MetricsFactory) {
                let dimensions = [("realm", realm)]
                func counter(_ name: String) -> Counter {
                    Counter(label: "realm." + name, dimensions: dimensions, factory: factory)
                }
                func timer(_ name: String) -> Timer {
                    Timer(label: "realm." + name, dimensions: dimensions, factory: factory)
                }
                func gauge(_ name: String) -> Gauge {
                    Gauge(label: "realm." + name, dimensions: dimensions, factory: factory)
                }
                commits = counter("commits")
                slow = counter("transactions.slow")
                checkpoints = counter("checkpoints")
                compactions = counter("compactions")
                hits = counter("cache.hits")
                misses = counter("cache.misses")
                held = counter("versions.held")
                lagging = counter("streams.lagging")
                acquired = counter("lease.acquired")
                released = counter("lease.released")
                wait = timer("commit.wait")
                body = timer("commit.body")
                sync = timer("commit.sync")
                duration = timer("commit.duration")
                checkpoint = timer("checkpoint.duration")
                compaction = timer("compaction.duration")
                lease = timer("lease.wait")
                groupSize = Recorder(
                    label: "realm.commit.group", dimensions: dimensions, aggregate: true,
                    factory: factory)
                live = gauge("pages.live")
                stored = gauge("pages.stored")
                resident = gauge("memory.resident")
            }
        }

        private let factory: any MetricsFactory
        private let realms = Mutex<[String: Instruments]>([:])

        /// Creates its metrics with `factory`, by default that of the metrics system.
        public init(_ factory: any MetricsFactory = MetricsSystem.factory) {
            self.factory = factory
        }

        private func instruments(_ realm: String) -> Instruments {
            realms.withLock { realms in
                if let known = realms[realm] { return known }
                let made = Instruments(realm, factory)
                realms[realm] = made
                return made
            }
        }

        /// Counts the commit and records its times.
        public func committed(_ event: TransactionEvent, in realm: String) {
            let instruments = instruments(realm)
            instruments.commits.increment()
            instruments.wait.record(duration: event.wait)
            instruments.body.record(duration: event.body)
            instruments.sync.record(duration: event.sync)
            instruments.duration.record(duration: event.duration)
            instruments.groupSize.record(event.groupSize)
        }

        /// Counts the transaction.
        public func transactionWasSlow(_ event: TransactionEvent, in realm: String) {
            instruments(realm).slow.increment()
        }

        /// Counts the checkpoint and records what it found.
        public func checkpointed(_ event: CheckpointEvent, in realm: String) {
            let instruments = instruments(realm)
            instruments.checkpoints.increment()
            instruments.checkpoint.record(duration: event.duration)
            instruments.live.record(event.liveBytes)
            instruments.stored.record(event.storedBytes)
        }

        /// Counts the compaction and records what it left.
        public func compacted(_ event: CompactionEvent, in realm: String) {
            let instruments = instruments(realm)
            instruments.compactions.increment()
            instruments.compaction.record(duration: event.duration)
            instruments.stored.record(event.bytesAfter)
        }

        /// Counts the nodes.
        public func cacheWasUsed(_ event: CacheEvent, in realm: String) {
            let instruments = instruments(realm)
            instruments.hits.increment(by: event.hits)
            instruments.misses.increment(by: event.misses)
            instruments.resident.record(event.residentBytes)
        }

        /// Counts the version.
        public func versionIsHeld(_ version: ActiveVersion, in realm: String) {
            instruments(realm).held.increment()
        }

        /// Counts the stream.
        public func streamLags(_ event: StreamLagEvent, in realm: String) {
            instruments(realm).lagging.increment()
        }

        /// Counts the move.
        public func leaseMoved(_ event: LeaseEvent, in realm: String) {
            let instruments = instruments(realm)
            switch event {
            case .acquired(let wait):
                instruments.acquired.increment()
                instruments.lease.record(duration: wait)
            case .released: instruments.released.increment()
            }
        }
    }
#endif
