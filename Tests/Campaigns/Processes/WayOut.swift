import Foundation
import RealmActors
import Storage
import StorageHarness

/// How a program recovers from a full disk: it deletes, compacts, reopens, and writes again.
enum WayOut {
    /// Sizes of the small file systems, in MB.
    static let sizes = [2, 4, 8, 16, 40, 120]

    /// On a separate file system. Nil if this user may not mount one.
    static func runMounted(_ directory: String, seed: UInt64) async throws -> Int? {
        var random = SeededGenerator(seed: seed)
        let size = sizes[Int(seed / 4) % sizes.count] << 20
        guard SmallFileSystem.mount(directory, size: size) else { return nil }
        defer { SmallFileSystem.unmount(directory) }
        do {
            try await run(directory + "/full.realm", rounds: 3, random: &random)
        } catch {
            let use = DiskUse.describe(directory)
            throw Violation("\(size >> 20) MB: \(error); \(use)")
        }
        return 1
    }

    /// On the simulated disk, with any size.
    static func runSimulated(seed: UInt64) throws -> Int {
        var random = SeededGenerator(seed: seed)
        let disk = SimulatedDisk()
        let capacity = 150_000 + random.next(below: random.oneIn(8) ? 8 << 20 : 1 << 20)
        let copiesOnWrite = random.oneIn(3)
        disk.limit(to: capacity, copiesOnWrite: copiesOnWrite)
        do {
            let store = try FillingStore(disk)
            try store.wayOut(rounds: 4, random: &random)
            try store.reopen()
            try store.check()
        } catch {
            throw Violation("\(capacity) bytes, copies on write \(copiesOnWrite): \(error)")
        }
        return 1
    }

    private static func run(
        _ path: String, rounds: Int, random: inout SeededGenerator
    ) async throws {
        let configuration = Realm.Configuration(path: path, objectTypes: Ledger.types)
        var realm = try await Realm.open(configuration)
        for round in 0..<rounds {
            var step = "filling"
            do {
                try await fill(realm)
                step = "reopening what is full"
                if random.oneIn(2) { realm = try await reopen(realm) }
                step = "deleting a part"
                while random.oneIn(2) {
                    try await deletePart(realm, upTo: 1 + random.next(below: 140))
                }
                step = "reopening what is partly deleted"
                if random.oneIn(3) { realm = try await reopen(realm) }
                step = "deleting all"
                try await realm.write { tx in try tx.delete(tx.objects(LedgerRow.self)) }
                for way in 0..<3 where random.oneIn(2) {
                    step = "way \(way) to go on when all is deleted"
                    switch way {
                    case 0: try await realm.compact()
                    case 1: realm = try await reopen(realm)
                    default: try await add(realm, count: 1)
                    }
                }
                step = "writing again"
                try await add(realm, count: 1_000)
                step = "compacting"
                try await realm.compact()
                step = "writing behind the compaction"
                try await add(realm, count: 1_000)
                step = "verifying"
                let report = try await realm.verify()
                if !report.isIntact { throw Violation("verification finds \(report)") }
                if let failure = realm.failure { throw failure }
            } catch {
                throw Violation("round \(round), \(step): \(error)")
            }
        }
        try await realm.close()
    }

    private static func reopen(_ realm: Realm) async throws -> Realm {
        let configuration = realm.configuration
        try await realm.close()
        return try await Realm.open(configuration)
    }

    private static func add(_ realm: Realm, count: Int) async throws {
        try await realm.write { tx in
            for side in 0..<count {
                let row = LedgerRow()
                (row.number, row.side, row.text) = (side / 7, side, "a text of some length \(side)")
                try tx.add(row)
            }
        }
    }

    private static func fill(_ realm: Realm) async throws {
        var count = 1_000
        while count > 0 {
            do {
                while true { try await add(realm, count: count) }
            } catch RealmError.outOfSpace {
                count /= 100
            }
        }
    }

    /// Deletes some of the rows, which succeeds like deleting all of them.
    private static func deletePart(_ realm: Realm, upTo number: Int) async throws {
        try await realm.write { tx in
            try tx.delete(tx.objects(LedgerRow.self).where { $0.number < number })
        }
    }
}
