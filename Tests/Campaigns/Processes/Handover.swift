import Foundation
import RealmActors
import Storage
import StorageHarness

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension Campaign {
    /// Processes that open one store, which begins as a copy of another, write to it, close it and
    /// remove it: two of them never write at the same time, and every opened store is valid.
    static let handover = Campaign(
        id: "C23", title: "processes that seed, reopen and remove one store", unit: "openings",
        shortCount: { 4 }
    ) { seed, _ in
        try await withTemporaryDirectory { directory in
            let path = directory + "/handed.realm"
            try await HandoverRole.makeSeed(path)
            let openings = try await withThrowingTaskGroup(of: Int.self) { group in
                for worker in 0..<3 {
                    group.addTask {
                        let child = try ChildProcess([
                            "child-heir", path, "\(seed * 3 + UInt64(worker))",
                        ])
                        let outcome = await child.wait()
                        if let problem = outcome.lines.first {
                            throw Violation("worker \(worker) says \(problem)")
                        }
                        if outcome.status != 0 {
                            throw Violation("worker \(worker) ended with \(outcome.status)")
                        }
                        return outcome.acknowledged
                    }
                }
                return try await group.reduce(0, +)
            }
            try await HandoverRole.check(path)
            return openings
        }
    }
}

/// An object of a store that several processes open and remove.
final class HandedItem: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var text: String
}

/// The role of a process of the campaign.
enum HandoverRole {
    private static let rounds = 40
    private static let seeded = 300

    private static func configuration(_ path: String) -> Realm.Configuration {
        var configuration = Realm.Configuration(
            path: path, objectTypes: [HandedItem.self], writeTimeout: .seconds(60),
            seedFilePath: path + ".seed")
        configuration.logOptions.segmentSizeMin = 32 << 10
        configuration.logOptions.pages.segmentSizeGrown = 64 << 10
        return configuration
    }

    /// Creates the store that all others are copies of.
    static func makeSeed(_ path: String) async throws {
        let configuration = Realm.Configuration(
            path: path + ".seed", objectTypes: [HandedItem.self])
        let realm = try await Realm.open(configuration)
        try await realm.write { tx in
            for number in 0..<seeded {
                try tx.create(HandedItem.self, value: ["number": number, "text": "seed"])
            }
        }
        try await realm.close()
    }

    static func run(_ path: String, _ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var openings = 0
        for _ in 0..<rounds {
            do {
                let realm = try await Realm.open(configuration(path))
                openings += 1
                requireSeed(realm.snapshot())
                do {
                    for _ in 0..<random.next(below: 4) {
                        try await write(realm, path)
                        // Other processes get the lease in between.
                        if random.oneIn(2) { try await Task.sleep(for: .milliseconds(1)) }
                    }
                } catch RealmError.invalidValue(let reason) where reason.contains("no longer") {
                    // It was removed while another process had the writer lease.
                }
                try? await realm.close()
                if random.oneIn(2) { try Realm.deleteFiles(for: configuration(path)) }
            } catch RealmError.alreadyOpen {
                // Another process writes, so it cannot be removed.
            }
        }
        ChildProcess.acknowledge(openings)
    }

    /// A transaction, during which no other process runs one.
    private static func write(_ realm: Realm, _ path: String) async throws {
        try await realm.write { tx in
            let file = open(path + ".guard", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
            defer { close(file) }
            if flock(file, LOCK_EX | LOCK_NB) != 0 { complain("two processes write at a time") }
            let count = tx.objects(HandedItem.self).count
            if count < seeded { complain("there are \(count) objects") }
            try tx.create(HandedItem.self, value: ["number": count, "text": "more"])
        }
    }

    private static func requireSeed(_ snapshot: Snapshot) {
        let count = snapshot.objects(HandedItem.self).where { $0.text == "seed" }.count
        if count != seeded { complain("a store begins with \(count) objects") }
    }

    private static func complain(_ problem: String) {
        say("problem \(problem)")
        exit(1)
    }

    /// The remaining store is valid at the end.
    static func check(_ path: String) async throws {
        let realm = try await Realm.open(configuration(path))
        let report = try await realm.verify()
        if let problem = report.problems.first { throw Violation("verify says \(problem)") }
        try await realm.close()
    }
}
