import Foundation
import RealmActors

let commitWorkloads: [Workload] = [
    probeWorkload("w02_raw_append128"),
    commits("w02_commit_string", insert: addString),
    commits("w02_commit_person", insert: addPerson),
    probeWorkload("w02_raw_append128_after"),
    commits("w03_conc8", tasks: 8, showsGroups: true, insert: addString),
    commits("w03_conc64", tasks: 64, showsGroups: true, insert: addString),
    commits("w04_nd_commit_string", durability: relaxed, insert: addString),
    commits("w04_nd_commit_string_64", tasks: 64, durability: relaxed, insert: addString),
    commits("w04_nd_commit_person", durability: relaxed, insert: addPerson),
    commits("w04_nd_commit_person_64", tasks: 64, durability: relaxed, insert: addPerson),
]

/// Acknowledged before the sync.
let relaxed = Realm.Configuration.Durability.relaxed(every: .milliseconds(100))

/// Adds the object of that number.
typealias Insert = @Sendable (WriteTransaction, Int) throws -> Void

private let addString: Insert = { tx, number in try tx.add(Dataset.string(number)) }
private let addPerson: Insert = { tx, number in try tx.add(Dataset.person(number)) }

private func probeWorkload(_ row: String) -> Workload {
    Workload(row) { bench in
        let rate = try DiskProbe.appendsPerSecond(in: bench.folder, seconds: 1)
        return [Measurement(row, rate, "syncs/s", check: .note("-"))]
    }
}

/// Tasks that each await commits of one object, for a fixed time.
private func commits(
    _ row: String, tasks: Int = 1, durability: Realm.Configuration.Durability = .fsync,
    showsGroups: Bool = false, insert: @escaping Insert
) -> Workload {
    let measure: @Sendable (Bench) async throws -> [Measurement] = { bench in
        let realm = try await bench.freshRealm(row, durability: durability)
        let before = realm.statistics
        let clock = ContinuousClock()
        let start = clock.now
        let end = start + .seconds(bench.options.seconds)
        let done = try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    var count = 0
                    while clock.now < end {
                        // Tasks count in steps, so that no two of them use one primary key.
                        let number = count * tasks + task
                        try await realm.write { tx in try insert(tx, number) }
                        count += 1
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        let seconds = (clock.now - start).inSeconds
        let after = realm.statistics
        let snapshot = realm.snapshot()
        let stored = snapshot.objects(Person.self).count + snapshot.objects(StringObject.self).count
        try await bench.discard(realm)
        let rate = Measurement(
            row, Double(done) / seconds, "commits/s", check: .equal(stored, done))
        guard showsGroups else { return [rate] }
        let syncs = max(1, after.syncs - before.syncs)
        let group = Double(done) / Double(syncs)
        return [
            rate,
            Measurement("\(row)_txns_per_sync", group, "commits", check: .note("\(syncs) syncs")),
        ]
    }
    return showsGroups
        ? Workload(row, "\(row)_txns_per_sync", run: measure) : Workload(row, run: measure)
}
