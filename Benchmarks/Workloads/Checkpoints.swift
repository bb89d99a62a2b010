import RealmActors
import Synchronization

let checkpointWorkloads: [Workload<Bench>] = [
    Workload("w17_commit_p99_during_checkpoint") { bench in
        let (realm, _) = try await filledRealm(bench, "checkpoint", bench.count)
        // Nothing is left to be written when the commits begin to be timed.
        try await realm.compact()
        var committer = TimedCommits(realm)
        let alone = try await committer.run(for: bench.options.seconds)
        var during: [Double] = []
        while during.count < samples { during += try await committer.runDuringCheckpoint() }
        let stored = realm.objects(StringObject.self).count
        try await bench.discard(realm)
        let text = "\(Int(during.p99)) us, alone \(Int(alone.p99)) us, \(during.count) commits"
        let check = Check.equal(stored, committer.done)
        return [
            Measurement(
                "w17_commit_p99_during_checkpoint", during.p99 / alone.p99, "x alone",
                check: check.isRight ? .note(text) : check)
        ]
    }
]

/// So many commits say what the slowest hundredth of them is.
private let samples = 500

/// Durable commits of one object, one after another, in microseconds.
private struct TimedCommits {
    private let realm: Realm
    private(set) var done = 0

    init(_ realm: Realm) { self.realm = realm }

    mutating func run(for seconds: Double) async throws -> [Double] {
        let end = ContinuousClock.now + .seconds(seconds)
        return try await run { count in ContinuousClock.now < end || count < samples }
    }

    /// Changes every person, and commits for as long as the checkpoint that writes them runs.
    mutating func runDuringCheckpoint() async throws -> [Double] {
        try await realm.write { tx in
            for person in tx.objects(Person.self) { person.age += 1 }
        }
        let isOver = Flag()
        let realm = realm
        let checkpoint = Task {
            defer { isOver.raise() }
            try await realm.compact()
        }
        let latencies = try await run { _ in !isOver.isRaised }
        try await checkpoint.value
        return latencies
    }

    private mutating func run(while goesOn: (Int) -> Bool) async throws -> [Double] {
        var latencies: [Double] = []
        while goesOn(latencies.count) {
            let number = done
            let start = ContinuousClock.now
            try await realm.write { tx in try tx.add(Dataset.string(number)) }
            latencies.append((ContinuousClock.now - start).inSeconds * 1e6)
            done += 1
        }
        return latencies
    }
}

/// Tells one task that another has finished.
private final class Flag: Sendable {
    private let value = Atomic(false)

    var isRaised: Bool { value.load(ordering: .acquiring) }

    func raise() { value.store(true, ordering: .releasing) }
}

extension [Double] {
    /// What 99 of 100 values do not exceed; zero for none.
    fileprivate var p99: Double {
        isEmpty ? 0 : sorted()[Swift.min(count - 1, count * 99 / 100)]
    }
}
