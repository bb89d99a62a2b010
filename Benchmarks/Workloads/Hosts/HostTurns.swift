#if PostgreSQL
    import Foundation
    import RealmActors
    import Storage

    let hostTurnWorkloads: [Workload<Bench>] = [
        Workload("h04_told", "h04_told_bare", "h04_told_ratio") { bench in
            try await HostBench.run(bench, notified)
        },
        Workload(
            "h05_handover", "h05_handover_ratio", "h05_handover_trips", "h05_contend_share",
            "h05_contend_least"
        ) { bench in
            try await HostBench.run(bench, handover)
        },
    ]

    private let changes = 300

    private func now() -> Int { Int(DispatchTime.now().uptimeNanoseconds) }

    /// From the body of a write on one host to the body of a `for await` on another.
    private func notified(_ setting: HostBench.Setting) async throws -> [Measurement] {
        let (one, other) = (try await setting.host(1), try await setting.host(2))
        try await one.write { tx in try tx.add(Dataset.person(0)) }
        _ = try await other.refreshed(.toNewest)
        var elements = other.objects(Person.self).changes().makeAsyncIterator()
        _ = try await elements.next()
        var ours: [Double] = []
        for _ in 0..<changes {
            try await Task.sleep(for: .milliseconds(3))
            async let written: Void = one.write { tx in
                tx.object(Person.self, forPrimaryKey: 0)?.age = now()
            }
            guard let change = try await elements.next() else { break }
            ours.append(Double(now() - (change.collection.first?.age ?? 0)) / 1000)
            try await written
        }
        let log = try setting.bare.entries(of: setting.name)
        let bare = try await bareNotified(setting, bytes: log.bytes / max(log.count, 1))
        for realm in [one, other] { try await setting.bench.discard(realm) }
        return [
            Measurement("h04_told", ours.median, "us", check: .equal(ours.count, changes)),
            Measurement("h04_told_bare", bare.median, "us", check: .equal(bare.count, changes)),
            .ratio("h04_told_ratio", ours.median / bare.median, goal: "at most 1.5"),
        ]
    }

    /// From before an insertion that notifies to where another connection has read the row.
    private func bareNotified(_ setting: HostBench.Setting, bytes: Int) async throws -> [Double] {
        let server = setting.server
        let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
        async let latencies = onThread {
            let listener = try PostgresProbe(server)
            try listener.listen()
            continuation.yield()
            return try (0..<changes).map { _ in
                let row = try listener.awaitRow()
                let start = row.prefix(8).reduce(0) { $0 << 8 | Int($1) }
                return Double(now() - start) / 1000
            }
        }
        for await _ in begun { break }
        for _ in 0..<changes {
            try await Task.sleep(for: .milliseconds(3))
            let start = now()
            let time = (0..<8).map { UInt8(truncatingIfNeeded: start >> (56 - $0 * 8)) }
            try setting.bare.appendAndNotify(
                time + [UInt8](repeating: 7, count: max(bytes - 8, 0)))
        }
        return try await latencies
    }

    /// Two hosts that write one after the other, and then as much as they can at once.
    private func handover(_ setting: HostBench.Setting) async throws -> [Measurement] {
        let logs = [try await setting.log(), try await setting.log()]
        let hosts = [
            try await setting.host(1, on: logs[0]), try await setting.host(2, on: logs[1]),
        ]
        let clock = ContinuousClock()
        var (times, trips): ([Double], [Double]) = ([], [])
        let end = clock.now + .seconds(setting.seconds / 4)
        while clock.now < end {
            let number = times.count
            let (host, log) = (hosts[number % 2], logs[number % 2])
            let (start, before) = (clock.now, log.roundTrips)
            try await host.write { tx in try tx.add(Dataset.string(number)) }
            times.append((clock.now - start).inSeconds)
            // With those of reads by which it follows the log meanwhile.
            trips.append(Double(log.roundTrips - before))
        }
        let log = try setting.bare.entries(of: setting.name)
        let bare = try setting.bareAppends(
            log.bytes / max(log.count, 1), seconds: setting.seconds / 4)
        let time = Duration.seconds(setting.seconds / 4)
        let alone = try await commitStrings(to: hosts[0], tasks: 8, until: .now + time)
        let both = ContinuousClock.now + time
        async let other = commitStrings(to: hosts[1], tasks: 8, until: both)
        let counts = try await [commitStrings(to: hosts[0], tasks: 8, until: both), other]
        let stored = try await hosts[0].refreshed(.toNewest).objects(StringObject.self).count
        for realm in hosts { try await setting.bench.discard(realm) }
        let sum = counts.reduce(0, +)
        let least = Double(counts.min() ?? 0) / Double(max(sum, 1))
        return [
            Measurement(
                "h05_handover", times.median * 1e6, "us",
                check: .equal(stored, times.count + alone + sum)),
            Measurement(
                "h05_handover_ratio", times.median / bare.median, "x",
                check: .note("over a bare append")),
            Measurement(
                "h05_handover_trips", trips.median, "trips", check: .note("goal: at most 4")),
            .ratio("h05_contend_share", Double(sum) / Double(alone), goal: "at least 0.7"),
            .ratio("h05_contend_least", least, goal: "at least 0.4"),
        ]
    }
#endif
