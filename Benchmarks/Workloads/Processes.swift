import Foundation
import RealmActors

let processWorkloads: [Workload<Bench>] = [
    Workload("w20_follower_wakeup") { bench in
        let (realm, _) = try await filledRealm(bench, "followed", 1, durability: .fsync)
        guard let path = realm.configuration.path else { return [] }
        let child = try ChildProcess.start(
            .init(job: .follow, engine: Report.ourName, path: path, count: wakeups))
        try child.waitForOutput()
        for _ in 0..<wakeups {
            // Long enough for the other process to fall asleep.
            try await Task.sleep(for: .milliseconds(5))
            try await realm.write { tx in
                tx.object(Person.self, forPrimaryKey: 0)?.age = now()
            }
        }
        let words = try child.finish().split(separator: " ").compactMap { Double($0) }
        try await bench.discard(realm)
        guard words.count == 2 else { throw ChildProcess.Failure(description: "no figures") }
        return [
            Measurement(
                "w20_follower_wakeup", words[0], "us", check: .equal(Int(words[1]), wakeups))
        ]
    }
]

private let wakeups = 400

/// Nanoseconds of a clock that all processes share.
private func now() -> Int { Int(DispatchTime.now().uptimeNanoseconds) }

/// In a process of its own: how long after the body of each write of another process its change
/// arrives here, which includes that write's sync.
func followWakeups(_ path: String, _ count: Int) async throws {
    let realm = try await Realm.open(.init(path: path, objectTypes: Bench.objectTypes))
    var latencies: [Double] = []
    for try await change in realm.objects(Person.self).changes() {
        guard case .update(let persons, _, _, _) = change else {
            ChildProcess.announce()
            continue
        }
        latencies.append(Double(now() - (persons.first?.age ?? 0)) / 1000)
        if latencies.count == count { break }
    }
    print(latencies.median, latencies.count)
    try await realm.close()
}
