import Foundation
import RealmActors

let insertWorkloads: [Workload<Bench>] = [
    Workload("w01_insert", "w01_peak_rss", "w01_file_bytes") { bench in
        let count = bench.count
        let realm = try await bench.freshRealm("insert")
        let seconds = try await insert(count, into: realm) { $0 }
        let peak = Disk.peakResidentBytes
        let snapshot = realm.snapshot()
        let check = Check.equal(snapshot.objects(Person.self).count, count)
        let path = realm.configuration.path ?? ""
        try await realm.close()
        let bytes = Disk.bytes(at: path)
        try FileManager.default.removeItem(atPath: path)
        return [
            Measurement("w01_insert", Double(count) / seconds, "objects/s", check: check),
            Measurement(
                "w01_peak_rss", Double(peak) / 1_000_000, "MB", check: .note("of the process")),
            Measurement(
                "w01_file_bytes", Double(bytes) / 1_000_000, "MB", check: .note("after closing")),
        ]
    },
    Workload("w01_10m_peak_ratio") { bench in
        let before = Disk.peakResidentBytes
        let count = 10 * bench.count
        let realm = try await bench.freshRealm("large")
        let seconds = try await insert(count, into: realm) { $0 }
        let peak = Disk.peakResidentBytes - before
        let found = realm.objects(Person.self).count
        let path = realm.configuration.path ?? ""
        try await realm.close()
        let bytes = Disk.bytes(at: path + "/pages")
        try FileManager.default.removeItem(atPath: path)
        let check = Check.equal(found, count)
        let note = "\(peak / 1_000_000) MB for \(bytes / 1_000_000) MB, \(Int(seconds)) s"
        return [
            Measurement(
                "w01_10m_peak_ratio", Double(peak) / Double(max(1, bytes)), "x live",
                check: check.isRight ? .note(note) : check)
        ]
    }.onRequest,
    Workload("w01b_insert_shuffled") { bench in
        let count = bench.count
        let realm = try await bench.freshRealm("shuffled")
        let seconds = try await insert(count, into: realm, key: Dataset.shuffledKey)
        let last = realm.object(Person.self, forPrimaryKey: Dataset.shuffledKey(count - 1))
        let found = last?.name == Dataset.name(count - 1) ? realm.objects(Person.self).count : -1
        try await bench.discard(realm)
        return [
            Measurement(
                "w01b_insert_shuffled", Double(count) / seconds, "objects/s",
                check: .equal(found, count))
        ]
    },
]

/// Inserts persons in one durable transaction, generation included; the seconds it took.
func insert(
    _ count: Int, into realm: Realm, key: @escaping @Sendable (Int) -> Int
) async throws -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    try await realm.write { tx in
        for number in 0..<count { try tx.add(Dataset.person(number, key: key(number))) }
    }
    return (clock.now - start).inSeconds
}
