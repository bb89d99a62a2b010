import Storage
import Synchronization

/// What the monitor of a store is notified of, and where.
final class StoreMonitoring: Sendable {
    private typealias Telling = @Sendable (any RealmMonitor, String) -> Void

    /// What is still to be reported; `isTelling` while a task does that.
    private struct Queue {
        var tellings: [Telling] = []
        var isTelling = false
    }

    private static let queueMax = 1024

    let limits: MonitorLimits
    private let monitor: any RealmMonitor
    private let realm: String
    private let queue = Mutex(Queue())
    private let sampler: Mutex<Task<Void, Never>?> = Mutex(nil)

    /// Nil when nobody monitors the store.
    init?(_ configuration: any StoreConfiguration) {
        guard let monitor = configuration.monitor else { return nil }
        self.monitor = monitor
        limits = configuration.monitorLimits
        realm = configuration.path ?? configuration.inMemoryIdentifier ?? ""
    }

    /// Looks at the store at intervals, for as long as a caller has it.
    func begin(_ store: RealmStore) {
        // A clock cannot say when the longest durations are over.
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

    /// Tells of a write, in the task of that.
    func note(_ times: WriteTimes, _ commit: Version?, _ figures: GroupFigures) {
        let event = times.event(commit, figures)
        if commit != nil { monitor.committed(event, in: realm) }
        if event.duration > limits.slowTransaction { monitor.transactionWasSlow(event, in: realm) }
    }

    /// Tells of what the engine did.
    func note(_ event: StoreEvent) {
        switch event {
        case .checkpoint(let version, let live, let stored, let duration):
            let event = CheckpointEvent(
                version: Realm.Version(version), liveBytes: live, storedBytes: stored,
                duration: duration)
            tell { $0.checkpointed(event, in: $1) }
        case .compaction(let isFull, let before, let after, let duration):
            let event = CompactionEvent(
                isFull: isFull, bytesBefore: before, bytesAfter: after, duration: duration)
            tell { $0.compacted(event, in: $1) }
        case .leaseAcquired(let wait): tell { $0.leaseMoved(.acquired(wait: wait), in: $1) }
        case .leaseReleased(let held): tell { $0.leaseMoved(.released(held: held), in: $1) }
        }
    }

    /// Has the monitor notified of something, behind what is reported to it now.
    func tell(_ telling: @escaping @Sendable (any RealmMonitor, String) -> Void) {
        let begins = queue.withLock { queue in
            if queue.tellings.count >= Self.queueMax { return false }
            queue.tellings.append(telling)
            defer { queue.isTelling = true }
            return !queue.isTelling
        }
        guard begins else { return }
        Task.detached(priority: .utility) { [self] in
            while let tellings = take() {
                for telling in tellings { telling(monitor, realm) }
            }
        }
    }

    private func take() -> [Telling]? {
        queue.withLock { queue in
            let tellings = queue.tellings
            queue.tellings = []
            if tellings.isEmpty { queue.isTelling = false }
            return tellings.isEmpty ? nil : tellings
        }
    }
}
