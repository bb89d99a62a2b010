#if Metrics
    import Foundation
    import Metrics
    import MetricsTestKit
    import RealmActors
    import Testing

    @Suite struct MetricsMonitorTests {
        @Test func commitsAndCompactionsAreCountedByRealm() async throws {
            let metrics = TestMetrics()
            try await withFreshRealm([ServiceItem.self]) {
                $0.monitor = MetricsMonitor(metrics)
                $0.monitorLimits.slowTransaction = .zero
            } _: { realm in
                for id in 1...3 {
                    try await realm.write { tx in
                        try tx.create(ServiceItem.self, value: ["id": id])
                    }
                }
                let dimensions = [("realm", realm.configuration.path ?? "")]
                #expect(
                    try metrics.expectCounter("realm.commits", dimensions).values.count == 3)
                #expect(
                    try metrics.expectCounter("realm.transactions.slow", dimensions).values.count
                        == 3)
                for name in ["wait", "body", "sync", "duration"] {
                    let timer = try metrics.expectTimer("realm.commit.\(name)", dimensions)
                    #expect(timer.values.count == 3 && timer.values.allSatisfy { $0 >= 0 })
                }
                let groups = try metrics.expectRecorder("realm.commit.group", dimensions)
                #expect(groups.values == [1, 1, 1])
                try await realm.compact()
                let compactions = try metrics.expectCounter("realm.compactions", dimensions)
                for _ in 0..<60_000 where compactions.values.isEmpty {
                    try await Task.sleep(for: .milliseconds(1))
                }
                #expect(compactions.values.count == 1)
            }
        }

        /// The guide has the name of every metric, and no other.
        @Test func theGuideNamesTheMetrics() throws {
            let metrics = TestMetrics()
            let monitor = MetricsMonitor(metrics)
            monitor.leaseMoved(.released(held: .zero), in: "any")
            let made = Set(
                metrics.counters.map(\.label) + metrics.timers.map(\.label)
                    + metrics.recorders.map(\.label))
            let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../../../Documentation/Monitoring.md").standardized
            let text = try String(contentsOf: page, encoding: .utf8)
            let named = text.split(separator: "`").filter { $0.hasPrefix("realm.") }.map(
                String.init)
            let spans = ["realm.write", "realm.write.wait", "realm.write.body", "realm.write.sync"]
            #expect(Set(named).subtracting(spans) == made)
        }
    }
#endif
