import Foundation
import RealmActors
import Synchronization

let commitWorkloads: [Workload<Bench>] = [
    // One workload, so that the rate of bare syncs comes from the same run.
    Workload("w02_raw_append128", "w02_commit_string", "w02_commit_person") { bench in
        let before = try probe(bench, "before")
        let strings = try await Commits("w02_commit_string", insert: addString).measure(bench)
        let persons = try await Commits("w02_commit_person", insert: addPerson).measure(bench)
        return try [before] + strings + persons + [probe(bench, "after")]
    },
    Commits("w03_conc8", tasks: 8, showsGroups: true, insert: addString).workload,
    Commits("w03_conc64", tasks: 64, showsGroups: true, insert: addString).workload,
    Commits("w04_nd_commit_string", durability: relaxed, insert: addString).workload,
    Commits("w04_nd_commit_string_64", tasks: 64, durability: relaxed, insert: addString).workload,
    Commits("w04_nd_commit_person", durability: relaxed, insert: addPerson).workload,
    Commits("w04_nd_commit_person_64", tasks: 64, durability: relaxed, insert: addPerson).workload,
    monitored("w04_nd_monitored", tasks: 1),
    monitored("w04_nd_monitored_64", tasks: 64),
]

/// The rate of commits with a monitor over that without one, in runs that alternate.
private func monitored(_ row: String, tasks: Int) -> Workload<Bench> {
    Workload(row) { bench in
        var plain = Commits(row, tasks: tasks, durability: relaxed, insert: addString)
        plain.seconds = bench.options.seconds / Double(monitoredRounds)
        var watched = plain
        let counter = CommitCounter()
        watched.monitor = counter
        var ratios: [Double] = []
        var committed = 0
        for _ in 0..<monitoredRounds {
            let before = try await plain.run(bench).rate
            let (rate, done) = try await watched.run(bench)
            ratios.append(rate / before)
            committed += done
        }
        let ratio = ratios.sorted()[monitoredRounds / 2]
        return [Measurement(row, ratio, "x", check: .equal(counter.count, committed))]
    }.onRequest
}

private let monitoredRounds = 15

/// What the least monitor does.
private final class CommitCounter: RealmMonitor {
    private let commits = Atomic<Int>(0)

    var count: Int { commits.load(ordering: .relaxed) }

    func committed(_ event: TransactionEvent, in realm: String) {
        commits.add(1, ordering: .relaxed)
    }
}

/// Acknowledged before the sync.
let relaxed = Realm.Configuration.Durability.relaxed(every: .milliseconds(100))

/// Adds the object of that number.
typealias Insert = @Sendable (WriteTransaction, Int) throws -> Void

let addString: Insert = { tx, number in try tx.add(Dataset.string(number)) }
private let addPerson: Insert = { tx, number in try tx.add(Dataset.person(number)) }

private func probe(_ bench: Bench, _ when: String) throws -> Measurement {
    try DiskProbe.measure(when, in: bench.folder, seconds: bench.options.seconds)
}

/// Tasks that each await commits of one object, for a fixed time.
private struct Commits: Sendable {
    let row: String
    let tasks: Int
    let durability: Realm.Configuration.Durability
    /// Whether to report how many transactions a sync made durable.
    let showsGroups: Bool
    let insert: Insert
    var monitor: (any RealmMonitor)?
    /// For how long; nil for as long as the options say.
    var seconds: Double?

    init(
        _ row: String, tasks: Int = 1, durability: Realm.Configuration.Durability = .fsync,
        showsGroups: Bool = false, insert: @escaping Insert
    ) {
        self.row = row
        self.tasks = tasks
        self.durability = durability
        self.showsGroups = showsGroups
        self.insert = insert
    }

    var workload: Workload<Bench> {
        showsGroups
            ? Workload(row, "\(row)_txns_per_sync", run: measure) : Workload(row, run: measure)
    }

    @Sendable func measure(_ bench: Bench) async throws -> [Measurement] {
        let realm = try await bench.freshRealm(row, durability: durability)
        let before = realm.statistics
        let clock = ContinuousClock()
        let start = clock.now
        let done = try await commit(
            to: realm, tasks: tasks, until: start + .seconds(bench.options.seconds), insert)
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

    /// Commits for a while; how many a second, and how many in all.
    func run(_ bench: Bench) async throws -> (rate: Double, done: Int) {
        let realm = try await bench.freshRealm(row, durability: durability, monitor: monitor)
        let start = ContinuousClock.now
        let duration = seconds ?? bench.options.seconds
        let done = try await commit(
            to: realm, tasks: tasks, until: start + .seconds(duration), insert)
        let rate = Double(done) / (ContinuousClock.now - start).inSeconds
        try await bench.discard(realm)
        return (rate, done)
    }
}

/// Tasks that each await commits until `end`; how many these were.
func commit(
    to realm: Realm, tasks: Int, until end: ContinuousClock.Instant, _ insert: @escaping Insert
) async throws -> Int {
    try await withThrowingTaskGroup(of: Int.self) { group in
        for task in 0..<tasks {
            group.addTask {
                var count = 0
                while ContinuousClock.now < end {
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
}
