import Foundation
import RealmActors
import Storage
import Synchronization
import Testing

private final class Gauge: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted(indexed: true) var name = ""
    @Persisted var level = 0
}

private struct Refusal: Error {}

private actor LiveGauges {
    func write(_ realm: Realm, author: String) async throws {
        let live = try await realm.live()
        try await live.write(author: author) {
            try live.create(Gauge.self, value: ["id": 1])
        }
    }

    /// Gives up a write in every way that there is.
    func giveUp(_ realm: Realm) async throws {
        let live = try await realm.live()
        try await live.beginWrite()
        live.cancelWrite()
        try await live.beginWrite()
        live.invalidate()
        try await live.write(author: "body") { live.cancelWrite() }
        try await abandonWrite(realm)
    }

    private func abandonWrite(_ realm: Realm) async throws {
        let live = try await realm.live()
        try await live.beginWrite()
    }
}

/// What a monitor receives of realms that are really used.
@Suite struct MonitorTests {
    private let monitor = RecordingMonitor()
    private let limits: MonitorLimits = {
        var limits = MonitorLimits()
        limits.slowTransaction = .seconds(3600)
        limits.interval = .milliseconds(5)
        limits.heldVersion = .milliseconds(1)
        limits.streamLag = .milliseconds(20)
        return limits
    }()

    private func withMonitored(
        _ configure: (inout Realm.Configuration) -> Void = { _ in },
        _ body: (Realm) async throws -> Void
    ) async throws {
        try await withFreshRealm([Gauge.self]) {
            $0.monitor = monitor
            $0.monitorLimits = limits
            configure(&$0)
        } _: {
            try await body($0)
        }
    }

    private static func isSound(_ event: TransactionEvent) -> Bool {
        let parts = [event.wait, event.body, event.sync]
        return parts.allSatisfy { $0 >= .zero } && event.wait + event.body <= event.duration
    }

    @Test func aCommitComesWithItsVersionAuthorAndTimes() async throws {
        try await withMonitored { realm in
            for id in 1...3 {
                try await realm.write(author: "writer \(id)") { tx in
                    try tx.create(Gauge.self, value: ["id": id])
                }
                // In the task that wrote: it is there when the write returns.
                let event = try #require(monitor.received.commits.last)
                #expect(event.version == realm.latestVersion)
                #expect(event.author == "writer \(id)")
                #expect(event.groupSize == 1 && Self.isSound(event) && event.sync > .zero)
            }
            #expect(monitor.received.commits.count == 3 && monitor.received.slow.isEmpty)
            #expect(Set(monitor.received.realms) == [realm.configuration.path])
        }
    }

    @Test func aCommitOfALiveRealmIsReportedToo() async throws {
        try await withMonitored { realm in
            try await LiveGauges().write(realm, author: "live")
            let event = try #require(monitor.received.commits.last)
            #expect(event.version == realm.latestVersion && event.author == "live")
            #expect(event.groupSize == 1 && Self.isSound(event))
        }
    }

    @Test(arguments: [Realm.Configuration.Durability.fsync, .relaxed(every: .seconds(3600))])
    func eachOfManyCommitsIsReportedOnce(_ durability: Realm.Configuration.Durability) async throws
    {
        try await withMonitored {
            $0.durability = durability
        } _: { realm in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for id in 0..<200 {
                    group.addTask {
                        try await realm.write { tx in
                            try tx.create(Gauge.self, value: ["id": id])
                        }
                    }
                }
                try await group.waitForAll()
            }
            let commits = monitor.received.commits
            #expect(Set(commits.compactMap(\.version)).count == 200 && commits.count == 200)
            #expect(commits.allSatisfy { Self.isSound($0) && $0.groupSize >= 1 })
            // Every commit of a group says how many there were, so that the groups add up.
            let groups = Dictionary(grouping: commits, by: \.groupSize)
            #expect(groups.allSatisfy { $0.value.count.isMultiple(of: $0.key) })
        }
    }

    @Test func transactionsWithoutCommitAreHeardOnlyWhenSlow() async throws {
        try await withMonitored {
            $0.monitorLimits.slowTransaction = .zero
        } _: { realm in
            try await realm.write { _ in }
            let line = #line + 2
            do {
                try await realm.write(author: "refused") { _ in throw Refusal() }
            } catch is Refusal {}
            let received = monitor.received
            #expect(received.commits.isEmpty && received.slow.count == 2)
            #expect(received.slow.allSatisfy { $0.version == nil && $0.groupSize == 0 })
            #expect(received.slow.last?.author == "refused")
            let call = try #require(received.slow.last?.call)
            #expect("\(call)" == "RealmActorsTests/MonitorTests.swift:\(line)")
            try await realm.write { tx in try tx.create(Gauge.self, value: ["id": 1]) }
            #expect(monitor.received.commits.count == 1 && monitor.received.slow.count == 3)
            #expect(monitor.received.slow.last?.version == realm.latestVersion)
        }
    }

    @Test func liveWritesThatAreGivenUpAreHeardWhenSlow() async throws {
        try await withMonitored {
            $0.monitorLimits.slowTransaction = .zero
        } _: { realm in
            try await LiveGauges().giveUp(realm)
            #expect(await monitor.receives { $0.slow.count == 4 })
            let slow = monitor.received.slow
            #expect(monitor.received.commits.isEmpty)
            #expect(slow.map(\.author) == [nil, nil, "body", nil])
            #expect(slow.map { $0.call != nil } == [false, false, true, false])
            #expect(slow.allSatisfy { $0.version == nil && Self.isSound($0) })
        }
    }

    @Test func compactionsAndCheckpointsAreHeard() async throws {
        try await withMonitored { realm in
            try await realm.write { tx in
                for id in 0..<2000 {
                    try tx.create(Gauge.self, value: ["id": id, "name": "gauge \(id)"])
                }
            }
            try await realm.compact()
            #expect(await monitor.receives { !$0.compactions.isEmpty && !$0.checkpoints.isEmpty })
            let checkpoint = try #require(monitor.received.checkpoints.last)
            #expect(checkpoint.version == realm.latestVersion)
            #expect(checkpoint.liveBytes > 0 && checkpoint.storedBytes >= checkpoint.liveBytes)
            #expect(checkpoint.duration >= .zero)
            let compaction = try #require(monitor.received.compactions.last)
            #expect(compaction.isFull && compaction.duration >= .zero)
            #expect(compaction.bytesAfter > 0)
        }
    }

    @Test func readsOfThePageFilesAreHeard() async throws {
        try await withStorePath { path in
            var configuration = Realm.Configuration(
                path: path, objectTypes: [Gauge.self], writeTimeout: nil, memoryBudget: 64 << 10)
            let first = try await Realm.open(configuration)
            try await first.write { tx in
                for id in 0..<20_000 {
                    try tx.create(Gauge.self, value: ["id": id, "name": "gauge \(id)"])
                }
            }
            try await first.close()
            configuration.monitor = monitor
            configuration.monitorLimits = limits
            let realm = try await Realm.open(configuration)
            let levels = realm.objects(Gauge.self).where { $0.name.contains("1") }.count
            #expect(levels > 0)
            #expect(await monitor.receives { $0.caches.contains { $0.misses > 0 } })
            #expect(monitor.received.caches.allSatisfy { $0.hits >= 0 && $0.residentBytes > 0 })
            try await realm.close()
        }
    }

    @Test func aVersionThatIsHeldIsReportedOnce() async throws {
        try await withMonitored { realm in
            let snapshot = realm.snapshot(label: "a report")
            #expect(await monitor.receives { !$0.held.isEmpty })
            try await Task.sleep(for: .milliseconds(30))
            let held = monitor.received.held.filter { $0.labels == ["a report"] }
            #expect(held.count == 1 && held.first?.version == snapshot.version)
            #expect(held.first?.holders == 1)
            withExtendedLifetime(snapshot) {}
        }
    }

    @Test func aStreamThatIsNotAskedIsReportedUntilItIs() async throws {
        try await withMonitored { realm in
            var changes = realm.objects(Gauge.self).changes().makeAsyncIterator()
            for round in 1...2 {
                try await realm.write { tx in try tx.create(Gauge.self, value: ["id": round]) }
                // Once, and once more for what is due when it has taken something.
                #expect(await monitor.receives { $0.lags.count == round })
                let lag = try #require(monitor.received.lags.last)
                #expect(lag.classNames == ["Gauge"] && lag.elements == 1 && lag.lag > .zero)
                _ = try await changes.next()
            }
        }
    }

    @Test func theHandoverOfTheWriterLeaseIsReported() async throws {
        try await SharedFolder.with { folder in
            var monitors: [RecordingMonitor] = []
            var realms: [Realm] = []
            for number in 0..<2 {
                let monitor = RecordingMonitor()
                var configuration = Realm.Configuration(
                    path: folder.name(number), objectTypes: [SharedParcel.self], writeTimeout: nil)
                configuration.monitor = monitor
                monitors.append(monitor)
                realms.append(try await Realm.open(configuration))
            }
            try await realms[0].write { tx in try tx.create(SharedParcel.self, value: ["id": 1]) }
            try await realms[1].write { tx in try tx.create(SharedParcel.self, value: ["id": 2]) }
            #expect(await monitors[0].receives { !$0.leases.isEmpty })
            #expect(await monitors[1].receives { !$0.leases.isEmpty })
            guard case .released(let held)? = monitors[0].received.leases.first,
                case .acquired(let wait)? = monitors[1].received.leases.first
            else {
                Issue.record("\(monitors[0].received.leases), \(monitors[1].received.leases)")
                return
            }
            #expect(held >= .zero && wait >= .zero)
            for realm in realms { try await realm.close() }
        }
    }

    @Test func oneMonitorTellsRealmsApart() async throws {
        for name in ["a", "b"] {
            var configuration = Realm.Configuration(
                inMemoryIdentifier: "monitored \(name)", objectTypes: [Gauge.self])
            configuration.monitor = MonitorGroup(monitor, RecordingMonitor())
            let realm = try await Realm.open(configuration)
            try await realm.write { tx in try tx.create(Gauge.self, value: ["id": 1]) }
            try await realm.close()
        }
        #expect(monitor.received.commits.count == 2)
        #expect(monitor.received.realms == ["monitored a", "monitored b"])
    }

    @Test func withoutMonitorNothingIsMeasured() async throws {
        try await withFreshRealm([Gauge.self]) { realm in
            try await realm.write { tx in try tx.create(Gauge.self, value: ["id": 1]) }
            #expect(realm.configuration.monitor == nil)
        }
        #expect(monitor.received.realms.isEmpty)
    }
}

/// Reads and writes the realm that it is notified of, and takes its time.
private final class MeddlingMonitor: RealmMonitor {
    let realm = Mutex<Realm?>(nil)
    let tasks = Mutex<[Task<Void, any Error>]>([])

    func committed(_ event: TransactionEvent, in name: String) {
        guard let realm = realm.withLock({ $0 }), event.author != "monitor" else { return }
        // The commit that it is notified of is visible.
        let isVisible = realm.snapshot().version >= event.version ?? realm.latestVersion
        let task = Task {
            try await realm.write(author: "monitor") { tx in
                let gauge = tx.object(Gauge.self, forPrimaryKey: 0)
                gauge?.level += isVisible ? 1 : 1000
            }
        }
        tasks.withLock { $0.append(task) }
        Thread.sleep(forTimeInterval: 0.002)
    }
}

@Suite struct MeddlingMonitorTests {
    @Test func aMonitorThatIsSlowAndWritesDoesNoHarm() async throws {
        let monitor = MeddlingMonitor()
        try await withFreshRealm([Gauge.self]) {
            $0.monitor = monitor
        } _: { realm in
            try await realm.write(author: "monitor") { tx in
                try tx.create(Gauge.self, value: ["id": 0])
            }
            monitor.realm.withLock { $0 = realm }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for id in 1...40 {
                    group.addTask {
                        try await realm.write { tx in
                            try tx.create(Gauge.self, value: ["id": id])
                        }
                    }
                }
                try await group.waitForAll()
            }
            for task in monitor.tasks.withLock({ $0 }) { try await task.value }
            #expect(realm.object(Gauge.self, forPrimaryKey: 0)?.level == 40)
            #expect(realm.objects(Gauge.self).count == 41)
            monitor.realm.withLock { $0 = nil }
        }
    }
}
