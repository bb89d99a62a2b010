#if PostgreSQL
    import Foundation
    import RealmActors
    import Storage

    let hostRealmsWorkloads: [Workload<Bench>] = [
        Workload("h08_many", "h08_many_times", "h08_many_ratio") { bench in
            try await HostBench.run(bench, manyRealms)
        }
    ]

    /// The realms of a service, over hosts that are a process each: the lease of a realm stays
    /// where it is written.
    private let (realms, hosts) = (1000, 3)
    /// As many as the realms of a process share.
    private let connections = 8

    private func manyRealms(_ setting: HostBench.Setting) async throws -> [Measurement] {
        let seconds = setting.seconds / 3
        let realm = try await setting.host()
        let one = try await commitStrings(to: realm, tasks: 1, until: .now + .seconds(seconds))
        let log = try setting.bare.entries(of: setting.name)
        try await setting.bench.discard(realm)

        let path = setting.bench.folder.appendingPathComponent(setting.name).path
        let children = try (0..<hosts).map { host in
            try ChildProcess.start(
                .init(job: .serve, engine: setting.server, path: path, count: host))
        }
        for child in children { try child.waitForOutput() }
        for child in children { try child.send("\(seconds)") }
        var (done, stored) = (0, 0)
        for child in children {
            let words = try await onThread { try child.finish() }.split(separator: " ")
            guard words.count == 2, let wrote = Int(words[0]), let has = Int(words[1]) else {
                throw ChildProcess.Failure(description: "the child printed \(words)")
            }
            (done, stored) = (done + wrote, stored + has)
        }
        let bare = try await bareRate(
            setting.server, bytes: log.bytes / max(log.count, 1), seconds: seconds)
        for number in 0..<realms { try setting.bare.remove("\(setting.name)-\(number)") }
        let rate = Double(done) / seconds
        return [
            Measurement("h08_many", rate, "commits/s", check: .equal(stored, done)),
            .ratio(
                "h08_many_times", rate / (Double(one) / seconds),
                goal: "1,000 realms of 3 hosts over one"),
            .ratio("h08_many_ratio", rate / bare, goal: "over 24 bare connections"),
        ]
    }

    /// In a process of its own: opens its share of the realms, whose names begin as `path` ends. A
    /// line then says for how many seconds one task on each commits; prints how many commits that
    /// were, and how many objects the realms have.
    func serveRealms(_ server: String, _ path: String, host: Int) async throws {
        let name = URL(fileURLWithPath: path).lastPathComponent
        var opened: [Realm] = []
        for number in stride(from: host, to: realms, by: hosts) {
            opened.append(
                try await HostBench.open(
                    "\(path)-\(number).realm", realm: "\(name)-\(number)", on: server))
        }
        ChildProcess.announce()
        let end = ContinuousClock.now + .seconds(readLine().flatMap { Double($0) } ?? 0)
        let done = try await withThrowingTaskGroup(of: Int.self) { group in
            for realm in opened {
                group.addTask { try await commitStrings(to: realm, tasks: 1, until: end) }
            }
            return try await group.reduce(0, +)
        }
        print(done, opened.reduce(0) { $0 + $1.objects(StringObject.self).count })
        for realm in opened { try await realm.close() }
    }

    /// Appends a second of as many connections as the processes have.
    private func bareRate(_ server: String, bytes: Int, seconds: Double) async throws -> Double {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<hosts * connections {
                group.addTask {
                    try await onThread {
                        let bare = try PostgresProbe(server)
                        let entry = [UInt8](repeating: 7, count: bytes)
                        var count = 0
                        let end = ContinuousClock.now + .seconds(seconds)
                        while ContinuousClock.now < end {
                            try bare.append(entry)
                            count += 1
                        }
                        return count
                    }
                }
            }
            return try await Double(group.reduce(0, +)) / seconds
        }
    }
#else
    /// Realms of several hosts take the trait `PostgreSQL`.
    func serveRealms(_ server: String, _ path: String, host: Int) async throws {
        throw ChildProcess.Failure(description: "this needs a build with --traits PostgreSQL")
    }
#endif
