import Foundation
import RealmActors
import Storage
import Synchronization

/// Keeps all events that it receives.
final class RecordingMonitor: RealmMonitor {
    struct Record {
        var commits: [TransactionEvent] = []
        var slow: [TransactionEvent] = []
        var checkpoints: [CheckpointEvent] = []
        var compactions: [CompactionEvent] = []
        var caches: [CacheEvent] = []
        var held: [ActiveVersion] = []
        var lags: [StreamLagEvent] = []
        var leases: [LeaseEvent] = []
        /// Of every event.
        var realms: [String] = []
    }

    private let record = Mutex(Record())

    var received: Record { record.withLock { $0 } }

    /// Waits for what comes later; fails the wait, not the test, after a minute.
    func receives(_ isThere: (Record) -> Bool) async -> Bool {
        for _ in 0..<60_000 where !isThere(received) {
            try? await Task.sleep(for: .milliseconds(1))
        }
        return isThere(received)
    }

    private func note(_ realm: String, _ edit: (inout Record) -> Void) {
        record.withLock {
            $0.realms.append(realm)
            edit(&$0)
        }
    }

    func committed(_ event: TransactionEvent, in realm: String) {
        note(realm) { $0.commits.append(event) }
    }

    func transactionWasSlow(_ event: TransactionEvent, in realm: String) {
        note(realm) { $0.slow.append(event) }
    }

    func checkpointed(_ event: CheckpointEvent, in realm: String) {
        note(realm) { $0.checkpoints.append(event) }
    }

    func compacted(_ event: CompactionEvent, in realm: String) {
        note(realm) { $0.compactions.append(event) }
    }

    func cacheWasUsed(_ event: CacheEvent, in realm: String) {
        note(realm) { $0.caches.append(event) }
    }

    func versionIsHeld(_ version: ActiveVersion, in realm: String) {
        note(realm) { $0.held.append(version) }
    }

    func streamLags(_ event: StreamLagEvent, in realm: String) {
        note(realm) { $0.lags.append(event) }
    }

    func leaseMoved(_ event: LeaseEvent, in realm: String) {
        note(realm) { $0.leases.append(event) }
    }
}
