let peerCommitWorkloads: [Workload<PeerBench>] = [
    // One workload, so that the rate of bare syncs comes from the same run.
    Workload("w02_raw_append128", "w02_commit_string", "w02_commit_person") { bench in
        let before = try probe(bench, "before")
        let strings = try await string.run(bench)
        let persons = try await person.run(bench)
        return try [before] + strings + persons + [probe(bench, "after")]
    },
    together("w03_conc8", 8, .synced, insertString),
    together("w03_conc64", 64, .synced, insertString),
    alone("w04_nd_commit_string", .unsynced) { try $0.insertString($1) },
    together("w04_nd_commit_string_64", 64, .unsynced, insertString),
    alone("w04_nd_commit_person", .unsynced) { try $0.insertPerson($1) },
    together("w04_nd_commit_person_64", 64, .unsynced, insertPerson),
]

private let string = alone("w02_commit_string", .synced) { try $0.insertString($1) }
private let person = alone("w02_commit_person", .synced) { try $0.insertPerson($1) }

private func probe(_ bench: PeerBench, _ when: String) throws -> Measurement {
    try DiskProbe.measure(when, in: bench.folder, seconds: bench.options.seconds)
}

private typealias Insert = @Sendable (any PeerCommitter, Int) async throws -> Void

private let insertString: Insert = { peer, number in try await peer.insertString(number) }
private let insertPerson: Insert = { peer, number in try await peer.insertPerson(number) }

/// One thread that commits object after object for a fixed time.
private func alone(
    _ row: String, _ durability: PeerDurability,
    _ insert: @escaping @Sendable (any Peer, Int) throws -> Void
) -> Workload<PeerBench> {
    Workload(row) { bench in
        let peer = try bench.open(row, durability)
        let clock = ContinuousClock()
        let start = clock.now
        let end = start + .seconds(bench.options.seconds)
        var done = 0
        while clock.now < end {
            try insert(peer, done)
            done += 1
        }
        let seconds = (clock.now - start).inSeconds
        let stored = try peer.objectCount()
        try peer.close()
        try bench.discard(row)
        return [
            Measurement(row, Double(done) / seconds, "commits/s", check: .equal(stored, done))
        ]
    }
}

/// Tasks that each await commits of one object, for a fixed time.
private func together(
    _ row: String, _ tasks: Int, _ durability: PeerDurability, _ insert: @escaping Insert
) -> Workload<PeerBench> {
    Workload(row) { bench in
        let peer = try bench.openCommitter(row, durability)
        let clock = ContinuousClock()
        let start = clock.now
        let end = start + .seconds(bench.options.seconds)
        let done = try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    var count = 0
                    while ContinuousClock.now < end {
                        // Tasks count in steps, so that no two of them use one primary key.
                        try await insert(peer, count * tasks + task)
                        count += 1
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        let seconds = (clock.now - start).inSeconds
        let stored = try await peer.objectCount()
        try await peer.close()
        try bench.discard(row)
        return [
            Measurement(row, Double(done) / seconds, "commits/s", check: .equal(stored, done))
        ]
    }
}
