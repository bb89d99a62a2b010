import Foundation
import RealmActors

let spaceWorkloads: [Workload<Bench>] = [
    Workload("w15_growth") { bench in
        let rows = max(1, bench.count / 10)
        let (realm, count) = try await filledRealm(bench, "growth", rows, durability: relaxed)
        let before = realm.objects(Person.self).sum(of: \.age)
        let reader = Task {
            // A version is held all the time, and none for longer than ten seconds.
            while !Task.isCancelled {
                let snapshot = realm.snapshot(label: "w15")
                try? await Task.sleep(for: .seconds(10))
                keep(snapshot)
            }
        }
        for turn in 0..<bench.count {
            let key = Dataset.pick(3, turn, of: count)
            try await realm.write { tx in tx.object(Person.self, forPrimaryKey: key)?.age += 1 }
        }
        reader.cancel()
        await reader.value
        let added = realm.objects(Person.self).sum(of: \.age) - before
        let space = try Space(of: realm)
        try await bench.discard(realm)
        let check = Check.equal(added, bench.count)
        return [
            Measurement(
                "w15_growth", space.growth, "x live",
                check: check.isRight ? .note(space.description) : check)
        ]
    }
]

/// What a store occupies, and what of it is alive.
private struct Space: CustomStringConvertible {
    let onDisk: Int
    let segments: Int
    let live: Int

    init(of realm: Realm) throws {
        let path = realm.configuration.path ?? ""
        onDisk = Disk.bytes(at: path)
        // Two segments of the log are there in any case: the one that is written and the next one.
        segments = Disk.sizes(at: path + "/log").sorted().suffix(2).reduce(0, +)
        live = realm.statistics.residentBytes
    }

    var growth: Double { Double(onDisk - segments) / Double(max(1, live)) }

    var description: String {
        let sizes = [onDisk, segments, live].map { String(format: "%.1f", Double($0) / 1e6) }
        return "\(sizes[0]) MB on disk, \(sizes[1]) MB of it two segments; \(sizes[2]) MB live"
    }
}
