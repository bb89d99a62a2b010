import Foundation
import RealmActors
import Storage
import StorageHarness

extension Campaign {
    /// Processes that write real files are killed at random moments.
    static let kills = Campaign(
        id: "C4", title: "processes killed while they write", unit: "kills", shortCount: { 50 }
    ) { seed, _ in
        try await withTemporaryDirectory { directory in
            var random = SeededGenerator(seed: seed)
            // If encryption is available, every other store is encrypted.
            let isSealed = EncryptionAlgorithm.isAvailable && seed.isMultiple(of: 2)
            var acknowledged = 0
            for kill in 1...10 {
                let path = directory + "/kill.realm"
                let kind = (Int(seed) + kill / 2).isMultiple(of: 2) ? "paged" : "usual"
                let child = try ChildProcess(
                    ["child-writer", path, kind, isSealed ? "sealed" : "plain"])
                let delay = Double(random.next(below: 40_000)) / 1_000_000
                // Some are killed while they open the store.
                let outcome = await child.kill(after: delay, acknowledging: kill % 5 != 0)
                acknowledged = max(acknowledged, outcome.acknowledged)
                if let problem = outcome.lines.first {
                    throw Violation("the child says \(problem)")
                }
                guard Realm.exists(at: path) else { continue }
                acknowledged = try await Ledger.check(
                    Ledger.configuration(path, isSealed: isSealed), acknowledged: acknowledged,
                    writes: kill % 3 == 0)
            }
            return 10
        }
    }
}

extension Ledger {
    /// Opens and checks the store. Returns what is acknowledged afterwards: if this process writes
    /// as well, its own transactions are; otherwise the next process finds the previous state.
    static func check(
        _ configuration: Realm.Configuration, acknowledged: Int, writes: Bool
    ) async throws -> Int {
        var configuration = configuration
        configuration.readOnly = !writes
        let realm: Realm
        do {
            realm = try await Realm.open(configuration)
        } catch RealmError.fileNotFound where acknowledged == 0 {
            return 0
        }
        if let problem = problem(in: realm.snapshot(), acknowledged: acknowledged) {
            throw Violation(problem)
        }
        if let failure = realm.failure { throw Violation("latched: \(failure)") }
        var newest = acknowledged
        if writes { for _ in 0..<3 { newest = try await write(realm) } }
        try await realm.close()
        return newest
    }
}
