#if PostgreSQL
    import Foundation
    import RealmActors
    import Storage

    let hostReadingWorkloads: [Workload<Bench>] = [
        Workload("h06_catchup", "h06_catchup_bare") { bench in
            try await HostBench.run(bench, catchUp)
        },
        Workload("h07_image", "h07_image_bare", "h07_image_ratio") { bench in
            try await HostBench.run(bench, image)
        },
        Workload("h09_idle_200_threads", "h09_idle_200_kB") { bench in
            try await HostBench.run(bench) { try await idle($0, 200) }
        }.onRequest,
        Workload("h09_idle_1000_threads", "h09_idle_1000_kB") { bench in
            try await HostBench.run(bench) { try await idle($0, 1000) }
        }.onRequest,
    ]

    /// A new host reads a log of many commits.
    private func catchUp(_ setting: HostBench.Setting) async throws -> [Measurement] {
        let writer = try await setting.host(1)
        let count = try await commitStrings(
            to: writer, tasks: 64, until: .now + .seconds(setting.seconds))
        let clock = ContinuousClock()
        let start = clock.now
        let reader = try await setting.host(2)
        let seconds = (clock.now - start).inSeconds
        let found = reader.objects(StringObject.self).count
        let bare = try timed { try setting.bare.readEntries(of: setting.name) }
        for realm in [writer, reader] { try await setting.bench.discard(realm) }
        return [
            Measurement(
                "h06_catchup", Double(count) / seconds, "commits/s", check: .equal(found, count)),
            Measurement(
                "h06_catchup_bare", Double(count) / bare.seconds, "commits/s",
                check: .note("\(bare.result) bytes")),
        ]
    }

    /// A new host begins with an image.
    private func image(_ setting: HostBench.Setting) async throws -> [Measurement] {
        let count = min(setting.bench.count, 400_000)
        let writer = try await setting.host(1, imageBytesMin: .max / 4)
        for first in stride(from: 0, to: count, by: 5000) {
            try await writer.write { tx in
                try Dataset.insert(first..<min(first + 5000, count), into: tx)
            }
        }
        try await writer.close()
        let maker = try await setting.host(1, imageBytesMin: 1)
        var found: (slot: Int64, bytes: Int)?
        let end = ContinuousClock.now + .seconds(60)
        while found == nil, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(20))
            found = try setting.bare.newestImage(of: setting.name)
        }
        try await setting.bench.discard(maker)
        guard let found else { return [.unsupported("h07_image", "no image was made")] }
        let clock = ContinuousClock()
        let start = clock.now
        let reader = try await setting.host(2)
        let seconds = (clock.now - start).inSeconds
        let stored = reader.objects(Person.self).count
        let bare = try timed { try setting.bare.readImage(of: setting.name, at: found.slot) }
        try await setting.bench.discard(reader)
        let megabytes = Double(found.bytes) / 1e6
        return [
            Measurement("h07_image", megabytes / seconds, "MB/s", check: .equal(stored, count)),
            Measurement(
                "h07_image_bare", megabytes / bare.seconds, "MB/s",
                check: .equal(bare.result, found.bytes)),
            .ratio("h07_image_ratio", bare.seconds / seconds, goal: "at least 0.5"),
        ]
    }

    /// What open realms take in which nothing happens.
    private func idle(_ setting: HostBench.Setting, _ count: Int) async throws -> [Measurement] {
        let names = (0..<count).map { "\(setting.name)-\($0)" }
        let before = (threads: threadCount(), memory: residentBytes())
        var hosts: [Realm] = []
        for name in names {
            let path = setting.bench.folder.appendingPathComponent("\(name).realm").path
            hosts.append(try await HostBench.open(path, realm: name, on: setting.server))
        }
        for host in hosts { try await host.write { tx in try tx.add(Dataset.string(1)) } }
        // Longer than threads wait for work.
        try await Task.sleep(for: .seconds(8))
        let after = (threads: threadCount(), memory: residentBytes())
        for host in hosts { try await setting.bench.discard(host) }
        for name in names { try setting.bare.remove(name) }
        let row = "h09_idle_\(count)"
        return [
            Measurement(
                "\(row)_threads", Double(after.threads - before.threads), "threads",
                check: .note("\(count) open realms")),
            Measurement(
                "\(row)_kB", Double(after.memory - before.memory) / 1000 / Double(count), "kB",
                check: .note("resident, of each")),
        ]
    }

    private func threadCount() -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task"))?.count ?? 0
    }

    private func residentBytes() -> Int {
        let words = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = words.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * Int(getpagesize())
    }
#endif
