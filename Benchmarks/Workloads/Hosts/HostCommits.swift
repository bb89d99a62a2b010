#if PostgreSQL
    import Foundation
    import RealmActors
    import Storage

    let hostCommitWorkloads: [Workload<Bench>] = [
        Workload("h01_append", "h02_commit", "h02_commit_ratio") { bench in
            try await HostBench.run(bench, oneTask)
        },
        Workload("h03_conc64", "h03_conc64_group", "h03_conc64_ratio") { bench in
            try await HostBench.run(bench, manyTasks)
        },
    ]

    /// How often the two that are compared take turns.
    private let rounds = 4

    /// Tasks that each await commits of one object until `end`; how many these were.
    func commitStrings(
        to realm: Realm, tasks: Int, until end: ContinuousClock.Instant
    ) async throws -> Int {
        try await commit(to: realm, tasks: tasks, until: end, addString)
    }

    private func oneTask(_ setting: HostBench.Setting) async throws -> [Measurement] {
        let realm = try await setting.host()
        let seconds = setting.seconds / Double(rounds * 2)
        var (ours, bare): ([Double], [Double]) = ([], [])
        let clock = ContinuousClock()
        for _ in 0..<rounds {
            let end = clock.now + .seconds(seconds)
            while clock.now < end {
                let (start, number) = (clock.now, ours.count)
                try await realm.write { tx in try tx.add(Dataset.string(number)) }
                ours.append((clock.now - start).inSeconds)
            }
            let log = try setting.bare.entries(of: setting.name)
            bare += try setting.bareAppends(log.bytes / max(log.count, 1), seconds: seconds)
        }
        let stored = realm.objects(StringObject.self).count
        try await setting.bench.discard(realm)
        return [
            Measurement("h01_append", bare.median * 1e6, "us", check: .note("\(bare.count)")),
            Measurement("h02_commit", ours.median * 1e6, "us", check: .equal(stored, ours.count)),
            .ratio("h02_commit_ratio", ours.median / bare.median, goal: "at most 1.25"),
        ]
    }

    private func manyTasks(_ setting: HostBench.Setting) async throws -> [Measurement] {
        let realm = try await setting.host()
        let before = try setting.bare.entries(of: setting.name)
        let clock = ContinuousClock()
        let start = clock.now
        let done = try await commitStrings(
            to: realm, tasks: 64, until: start + .seconds(setting.seconds / 2))
        let seconds = (clock.now - start).inSeconds
        let after = try setting.bare.entries(of: setting.name)
        let stored = realm.objects(StringObject.self).count
        let groups = max(after.count - before.count, 1)
        let bare = try setting.bareAppends(
            (after.bytes - before.bytes) / groups, seconds: setting.seconds / 2)
        try await setting.bench.discard(realm)
        let bareRate = Double(bare.count) / bare.reduce(0, +)
        return [
            Measurement(
                "h03_conc64", Double(done) / seconds, "commits/s", check: .equal(stored, done)),
            Measurement(
                "h03_conc64_group", Double(done) / Double(groups), "commits",
                check: .note("goal: at least 32")),
            .ratio(
                "h03_conc64_ratio", Double(groups) / seconds / bareRate, goal: "at least 0.85"),
        ]
    }

    /// Runs what blocks on a thread of its own.
    func onThread<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
        }
    }
#endif
