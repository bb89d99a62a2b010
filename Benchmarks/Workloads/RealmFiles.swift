import Foundation
import RealmActors

/// A file that Realm wrote, imported ten times, each time into a realm of its own.
let realmFileWorkloads: [Workload<Bench>] = [
    Workload("w21_realmfile", "w21_realmfile_open") { bench in
        let file = bench.realmFile
        guard FileManager.default.fileExists(atPath: file.path) else {
            let reason = "skipped: no file \(file.path)"
            return [
                .unsupported("w21_realmfile", reason), .unsupported("w21_realmfile_open", reason),
            ]
        }
        let info = try await Realm.realmFileInfo(at: file)
        let names = info.classes.filter { !$0.isEmbedded }.map(\.name)
        let expected = info.classes.reduce(0) { $0 + ($1.isEmbedded ? 0 : $1.count) }
        var (new, open) = (ImportRate(), ImportRate())
        for _ in 0..<10 {
            let path = bench.folder.appendingPathComponent("file-\(UUID().uuidString)").path
            try await new.time { try await Realm.importRealmFile(at: file, into: path) }
            let realm = try await Realm.open(
                .init(path: path, objectTypes: [], schemaVersion: info.schemaVersion ?? 0))
            new.found += try ImportRate.count(names, in: realm)
            try await realm.write { tx in try names.forEach { try tx.deleteAll(ofType: $0) } }
            try await open.time { try await Realm.importRealmFile(at: file, into: realm) }
            open.found += try ImportRate.count(names, in: realm)
            try await bench.discard(realm)
        }
        return [
            Measurement(
                "w21_realmfile", new.rate, "objects/s", check: .equal(new.found, expected * 10)),
            Measurement(
                "w21_realmfile_open", open.rate, "objects/s",
                check: .equal(open.found, expected * 10)),
        ]
    }
]

/// How fast objects were imported.
private struct ImportRate {
    /// How many objects the realms had afterwards.
    var found = 0
    private var seconds = 0.0

    var rate: Double { Double(found) / seconds }

    mutating func time(_ body: () async throws -> RealmFileImport) async throws {
        let clock = ContinuousClock()
        let start = clock.now
        _ = try await body()
        seconds += (clock.now - start).inSeconds
    }

    static func count(_ names: [String], in realm: Realm) throws -> Int {
        try names.reduce(0) { try $0 + realm.dynamicObjects($1).count }
    }
}
