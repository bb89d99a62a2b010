import Foundation
import Hummingbird
import RealmActors
import Synchronization

/// What the service counts, in the text format of Prometheus.
final class ServiceMetrics: RealmMonitor {
    private struct Counters {
        var requests: [Int: Int] = [:]
        var commits = 0
        var commitSeconds = 0.0
        var syncSeconds = 0.0
        var slowTransactions = 0
        var checkpoints = 0
        var heldVersions = 0
        var laggingStreams = 0
        var cacheHits = 0
        var cacheMisses = 0
    }

    private let counters = Mutex(Counters())

    func answered(_ status: HTTPResponse.Status) {
        counters.withLock { $0.requests[status.code, default: 0] += 1 }
    }

    func committed(_ event: TransactionEvent, in realm: String) {
        counters.withLock {
            $0.commits += 1
            $0.commitSeconds += event.duration / .seconds(1)
            $0.syncSeconds += event.sync / .seconds(1)
        }
    }

    func transactionWasSlow(_ event: TransactionEvent, in realm: String) {
        counters.withLock { $0.slowTransactions += 1 }
    }

    func checkpointed(_ event: CheckpointEvent, in realm: String) {
        counters.withLock { $0.checkpoints += 1 }
    }

    func versionIsHeld(_ version: ActiveVersion, in realm: String) {
        counters.withLock { $0.heldVersions += 1 }
    }

    func streamLags(_ event: StreamLagEvent, in realm: String) {
        counters.withLock { $0.laggingStreams += 1 }
    }

    func cacheWasUsed(_ event: CacheEvent, in realm: String) {
        counters.withLock {
            $0.cacheHits += event.hits
            $0.cacheMisses += event.misses
        }
    }

    func text(_ realm: Realm) -> String {
        let now = counters.withLock { $0 }
        let statistics = realm.statistics
        var lines: [String] = []
        func add(_ name: String, _ kind: String, _ values: [(labels: String, value: Any)]) {
            lines.append("# TYPE \(name) \(kind)")
            for value in values { lines.append("\(name)\(value.labels) \(value.value)") }
        }
        add(
            "http_requests_total", "counter",
            now.requests.sorted { $0.key < $1.key }.map { ("{status=\"\($0.key)\"}", $0.value) })
        add("realm_commits_total", "counter", [("", now.commits)])
        add("realm_commit_seconds_total", "counter", [("", now.commitSeconds)])
        add("realm_commit_sync_seconds_total", "counter", [("", now.syncSeconds)])
        add("realm_transactions_slow_total", "counter", [("", now.slowTransactions)])
        add("realm_checkpoints_total", "counter", [("", now.checkpoints)])
        add("realm_versions_held_total", "counter", [("", now.heldVersions)])
        add("realm_streams_lagging_total", "counter", [("", now.laggingStreams)])
        add("realm_cache_hits_total", "counter", [("", now.cacheHits)])
        add("realm_cache_misses_total", "counter", [("", now.cacheMisses)])
        add("realm_syncs_total", "counter", [("", statistics.syncs)])
        add("realm_bytes_live", "gauge", [("", statistics.liveBytes)])
        add("realm_bytes_disk", "gauge", [("", statistics.diskBytes)])
        add("realm_bytes_resident", "gauge", [("", statistics.residentBytes)])
        add("realm_active_versions", "gauge", [("", realm.activeVersions.count)])
        add("realm_version", "gauge", [("", realm.latestVersion.rawValue)])
        return lines.joined(separator: "\n") + "\n"
    }
}

/// Counts answers by their status.
struct MetricsMiddleware: RouterMiddleware {
    typealias Context = BasicRequestContext

    let metrics: ServiceMetrics

    func handle(
        _ request: Request, context: BasicRequestContext,
        next: @concurrent (Request, BasicRequestContext) async throws -> Response
    ) async throws -> Response {
        do {
            let response = try await next(request, context)
            metrics.answered(response.status)
            return response
        } catch {
            metrics.answered((error as? any HTTPResponseError)?.status ?? .internalServerError)
            throw error
        }
    }
}
