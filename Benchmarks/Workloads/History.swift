import RealmActors

let historyWorkloads: [Workload<Bench>] = [
    Workload("w19_history_read") { bench in
        let (realm, count) = try await filledRealm(
            bench, "history", 1000, durability: relaxed, history: .keep(bytes: 1 << 30))
        let token = realm.snapshot().changeToken
        try await update(realm, count, commits: readCommits)
        let clock = ContinuousClock()
        let start = clock.now
        var read = 0
        var exact = 0
        for try await commit in realm.commits(since: token) {
            let change = commit.modifications(of: Person.self).first
            if change?.oldValues["age"] != nil, change?.newValues["age"] != nil { exact += 1 }
            read += 1
            if read == readCommits { break }
        }
        let seconds = (clock.now - start).inSeconds
        try await bench.discard(realm)
        return [
            Measurement(
                "w19_history_read", Double(read) / seconds, "commits/s",
                check: .equal(exact, readCommits))
        ]
    },
    Workload("w19_history_keep", "w19_history_keep_share") { bench in
        let (plain, count) = try await filledRealm(bench, "plain", 1000, durability: relaxed)
        let (kept, _) = try await filledRealm(
            bench, "kept", 1000, durability: relaxed, history: .keep(bytes: 64 << 20))
        let rates = try await updatesInTurns(plain, kept, count, bench)
        try await bench.discard(plain)
        try await bench.discard(kept)
        return shareRows("w19_history_keep", of: rates, "without .keep")
    },
]

private let readCommits = 100_000

/// Commits of one changed number each, from several tasks.
private func update(_ realm: Realm, _ count: Int, commits: Int) async throws {
    let tasks = 4
    try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<tasks {
            group.addTask {
                for number in 0..<commits / tasks {
                    let key = (number * tasks + task) % count
                    try await realm.write { tx in
                        tx.object(Person.self, forPrimaryKey: key)?.age += 1
                    }
                }
            }
        }
        try await group.waitForAll()
    }
}
