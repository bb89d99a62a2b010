import Foundation
import RealmActors
import Storage
import StorageHarness

/// A row whose values identify a version.
final class VersionRow: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var group: Int
    @Persisted var value: Int
    @Persisted var text: String
}

/// Many updates of the same rows, while a few versions are held.
private struct VersionRun {
    static let limit = 8
    static let rowCount = 1_000
    static let commitCount = 10_000

    let realm: Realm
    /// Whether some commits are large.
    let isPaged: Bool
    var random: SeededGenerator
    var values = [Int](repeating: 0, count: rowCount)
    var sum = 0
    var pins: [(snapshot: Snapshot, sum: Int)] = []
    var refusals = 0

    mutating func start() async throws {
        try await realm.write { tx in
            for id in 0..<Self.rowCount {
                try tx.create(
                    VersionRow.self, value: ["id": id, "group": id % 10, "value": 0, "text": ""])
            }
        }
    }

    mutating func step() async throws {
        switch random.next(below: 8) {
        case 0 where pins.count < Self.limit + 2: pins.append((realm.snapshot(), sum))
        case 1 where !pins.isEmpty:
            let index = random.next(below: pins.count)
            try check(pins[index])
            pins.remove(at: index)
        default: break
        }
        if isPaged, random.oneIn(500) { return try await rewrite() }
        let id = random.next(below: Self.rowCount)
        let value = random.next(below: 1_000_000)
        let length = random.next(below: 600)
        do {
            try await realm.write { tx in
                guard let row = tx.object(VersionRow.self, forPrimaryKey: id) else {
                    throw Violation("row \(id) is gone")
                }
                row.value = value
                row.text = String(repeating: "x", count: length)
            }
            sum += value - values[id]
            values[id] = value
        } catch RealmError.tooManyActiveVersions {
            refusals += 1
            guard realm.activeVersions.count > Self.limit else {
                throw Violation("refused with \(realm.activeVersions.count) versions")
            }
            try check(pins[0])
            pins.remove(at: 0)
        }
        if realm.activeVersions.count > Self.limit + 2 {
            throw Violation("\(realm.activeVersions.count) versions are held")
        }
    }

    /// Changes every row in one transaction, which becomes a page commit.
    private mutating func rewrite() async throws {
        guard realm.activeVersions.count < Self.limit else { return }
        let difference = 1 + random.next(below: 1_000)
        try await realm.write { tx in
            for row in tx.objects(VersionRow.self) { row.value += difference }
        }
        for id in values.indices { values[id] += difference }
        sum += difference * Self.rowCount
    }

    private func check(_ pin: (snapshot: Snapshot, sum: Int)) throws {
        let rows = pin.snapshot.objects(VersionRow.self)
        let found = rows.map { $0.value }.reduce(0, +)
        guard rows.count == Self.rowCount, found == pin.sum else {
            throw Violation("version \(pin.snapshot.version) changed: \(found), not \(pin.sum)")
        }
    }

    /// The files have at most three times the size of the live data, plus two segments and the log
    /// between two checkpoints.
    func checkSpace(logMax: Int) throws {
        let path = realm.configuration.path ?? ""
        let sizes = try ["log", "pages"].flatMap { folder in
            try FileManager.default.contentsOfDirectory(atPath: path + "/" + folder).compactMap {
                // A file that is removed meanwhile takes no space.
                try? FileManager.default.attributesOfItem(
                    atPath: "\(path)/\(folder)/\($0)")[.size] as? Int
            }
        }.sorted()
        let live = realm.statistics.liveBytes
        let used = sizes.dropLast(2).reduce(0, +)
        guard used <= 3 * live + logMax else {
            throw Violation("\(used) bytes of files beside two segments, \(live) are in use")
        }
    }

    func checkAll() throws {
        for pin in pins { try check(pin) }
        try check((realm.snapshot(), sum))
    }
}

extension Campaign {
    /// Few concurrent versions, and no growth.
    static let versions = Campaign(
        id: "C9", title: "versions held at random under a limit of 8", unit: "commits",
        shortCount: { 10 }
    ) { seed, _ in
        try await withTemporaryDirectory { directory in
            var configuration = Realm.Configuration(
                path: directory + "/versions.realm", objectTypes: [VersionRow.self],
                maximumNumberOfActiveVersions: UInt(VersionRun.limit),
                durability: .relaxed(every: .milliseconds(50)))
            let isPaged = seed % 2 == 1
            if isPaged {
                configuration.logOptions.pageCommitBytes = 4_000
                configuration.logOptions.spillBytes = 100_000
            }
            let realm = try await Realm.open(configuration)
            var run = VersionRun(
                realm: realm, isPaged: isPaged, random: SeededGenerator(seed: seed))
            try await run.start()
            // The most in the first quarter: single figures depend on the versions held at the time
            // and on the last checkpoint, by a factor of five.
            var residentMax = 0
            for number in 0..<VersionRun.commitCount {
                try await run.step()
                if number % 500 == 499 { try run.checkSpace(logMax: 6 << 20) }
                if number < VersionRun.commitCount / 4, number % 50 == 49 {
                    residentMax = max(residentMax, realm.statistics.residentBytes)
                }
            }
            try run.checkAll()
            run.pins = []
            let grown = realm.statistics.residentBytes
            guard grown < 2 * residentMax else {
                throw Violation(
                    "\(grown) bytes in memory, at most \(residentMax) in a quarter of the run")
            }
            try await realm.compact()
            try run.checkSpace(logMax: 0)
            try await realm.close()
            return VersionRun.commitCount
        }
    }
}
