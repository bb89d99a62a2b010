import Storage
import Synchronization

/// Calls the monitor of a store: in the task of a write, or in the store's notifying task.
final class StoreMonitoring: Sendable {
    private typealias Notice = @Sendable (any RealmMonitor, String) -> Void

    /// The notices that were not delivered yet; `isDelivering` while a task delivers them.
    private struct Queue {
        var notices: [Notice] = []
        var isDelivering = false
    }

    private static let queueMax = 1024

    let limits: MonitorLimits
    private let monitor: any RealmMonitor
    private let realm: String
    private let queue = Mutex(Queue())
    private let sampler: Mutex<Task<Void, Never>?> = Mutex(nil)

    /// Nil without a monitor.
    init?(_ configuration: any StoreConfiguration) {
        guard let monitor = configuration.monitor else { return nil }
        self.monitor = monitor
        limits = configuration.monitorLimits
        realm = configuration.path ?? configuration.inMemoryIdentifier ?? ""
    }

    /// Samples the store at intervals, for as long as it has handles.
    func begin(_ store: RealmStore) {
        // The longest durations overflow a clock.
        let interval = min(max(limits.interval, .milliseconds(10)), .seconds(Int32.max))
        let task = Task.detached(priority: .utility) { [weak store] in
            var sampler = StoreSampler()
            while (try? await Task.sleep(for: interval)) != nil {
                guard let store else { return }
                if !store.isClosed { sampler.sample(store) }
            }
        }
        sampler.withLock { $0 = task }
    }

    func stop() { sampler.withLock { $0 }?.cancel() }

    /// Reports a write, in its task.
    func note(_ times: WriteTimes, _ commit: Version?, _ metrics: GroupMetrics) {
        let event = times.event(commit, metrics)
        if commit != nil { monitor.committed(event, in: realm) }
        if event.duration > limits.slowTransaction { monitor.transactionWasSlow(event, in: realm) }
    }

    /// Reports an event of the engine.
    func note(_ event: StoreEvent) {
        switch event {
        case .checkpoint(let version, let live, let stored, let duration):
            let event = CheckpointEvent(
                version: Realm.Version(version), liveBytes: live, storedBytes: stored,
                duration: duration)
            notify { $0.checkpointed(event, in: $1) }
        case .compaction(let isFull, let before, let after, let duration):
            let event = CompactionEvent(
                isFull: isFull, bytesBefore: before, bytesAfter: after, duration: duration)
            notify { $0.compacted(event, in: $1) }
        case .leaseAcquired(let wait): notify { $0.leaseMoved(.acquired(wait: wait), in: $1) }
        case .leaseReleased(let held): notify { $0.leaseMoved(.released(held: held), in: $1) }
        }
    }

    /// Enqueues a notice for the monitor, after those that are being delivered.
    func notify(_ notice: @escaping @Sendable (any RealmMonitor, String) -> Void) {
        let begins = queue.withLock { queue in
            if queue.notices.count >= Self.queueMax { return false }
            queue.notices.append(notice)
            defer { queue.isDelivering = true }
            return !queue.isDelivering
        }
        guard begins else { return }
        Task.detached(priority: .utility) { [self] in
            while let notices = take() {
                for notice in notices { notice(monitor, realm) }
            }
        }
    }

    private func take() -> [Notice]? {
        queue.withLock { queue in
            let notices = queue.notices
            queue.notices = []
            if notices.isEmpty { queue.isDelivering = false }
            return notices.isEmpty ? nil : notices
        }
    }
}
