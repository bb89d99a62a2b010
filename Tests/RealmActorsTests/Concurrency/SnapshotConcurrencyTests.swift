import Foundation
import RealmActors
import Storage
import StorageHarness
import Synchronization
import Testing

/// Readers and holders of versions beside writers.
@Suite struct SnapshotConcurrencyTests {
    private final class Flag: Sendable {
        private let value = Mutex(false)
        var isRaised: Bool { value.withLock { $0 } }
        func raise() { value.withLock { $0 = true } }
    }

    @Test func sixteenReadersNeverSeeABrokenInvariant() async throws {
        try await withFreshRealm([Tally.self, Mark.self]) { realm in
            try await realm.write { tx in
                try tx.create(Tally.self, value: ["id": 0, "value": 1_000])
                try tx.create(Tally.self, value: ["id": 1, "value": 0])
            }
            let isDone = Flag()
            try await withThrowingTaskGroup(of: Int.self) { readers in
                for reader in 0..<16 {
                    readers.addTask { try await Self.read(realm, reader, isDone) }
                }
                try await Self.transfer(realm)
                isDone.raise()
                for try await broken in readers { #expect(broken == 0) }
            }
            let values = realm.objects(Tally.self).values(of: \.value)
            #expect(values.reduce(0, +) == 1_000)
            #expect(realm.objects(Mark.self).count == 8 * 100)
        }
    }

    /// Eight writers move something from one object to the other.
    private static func transfer(_ realm: Realm) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    for step in 0..<100 {
                        try await realm.write { tx in
                            let tallies = tx.objects(Tally.self)
                            let amount = (writer * 31 + step * 7) % 50 - 20
                            tallies[0].value -= amount
                            try tx.create(Mark.self, value: ["number": writer * 100 + step])
                            tallies[1].value += amount
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Reads until the writers are done; returns how often something did not hold.
    private static func read(
        _ realm: Realm, _ reader: Int, _ isDone: Flag
    ) async throws -> Int {
        var broken = 0
        var newest = Realm.Version?.none
        var marks = 0
        while !isDone.isRaised {
            let snapshot = realm.snapshot()
            let tallies = snapshot.objects(Tally.self)
            let first = tallies[0].value
            await Task.yield()
            if first + tallies[1].value != 1_000 { broken += 1 }
            if tallies[0].value != first { broken += 1 }
            if tallies.sum(of: \.value) != 1_000 { broken += 1 }
            // Versions only ever get newer, and what was there stays.
            if let newest, snapshot.version < newest { broken += 1 }
            let count = snapshot.objects(Mark.self).count
            if count < marks { broken += 1 }
            (newest, marks) = (snapshot.version, count)
            await Task.yield()
        }
        return broken
    }

    @Test func versionsThatAreLetGoLeaveNothingBehind() async throws {
        try await withFreshRealm([Mark.self]) { realm in
            try await realm.write { tx in
                for number in 0..<2_000 {
                    try tx.create(Mark.self, value: ["number": number, "weight": 1])
                }
            }
            try await Self.touchEverything(realm, 2)
            let before = await Self.settled(realm, nil)
            try await Self.holdAndDrop(realm)
            try await Self.touchEverything(realm, 3)
            let after = await Self.settled(realm, before)
            #expect(after == before)
            #expect(realm.activeVersions.map(\.version) == [realm.latestVersion])
        }
    }

    private static func touchEverything(_ realm: Realm, _ weight: Int) async throws {
        try await realm.write { tx in
            for mark in tx.objects(Mark.self) { mark.weight = weight }
        }
    }

    /// Eight tasks hold up to ten versions each while a ninth writes.
    private static func holdAndDrop(_ realm: Realm) async throws {
        let random = SeededGenerator()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for holder in 0..<8 {
                group.addTask {
                    var random = SeededGenerator(seed: random.seed &+ UInt64(holder))
                    var held: [Snapshot] = []
                    for _ in 0..<300 {
                        held.append(realm.snapshot(label: "holder \(holder)"))
                        let index = Int.random(in: 0..<held.count, using: &random)
                        #expect(held[index].objects(Mark.self).count == 2_000)
                        if held.count > 10 { held.remove(at: index) }
                        await Task.yield()
                    }
                }
            }
            group.addTask {
                for step in 0..<300 {
                    try await realm.write { tx in
                        let number = step * 7 % 2_000
                        tx.object(Mark.self, forPrimaryKey: number)?.weight = step % 100
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// The number of nodes in memory once the version before the newest has been given up, which
    /// happens after the write that made it has returned.
    private static func settled(_ realm: Realm, _ expected: Int?) async -> Int {
        var nodes = realm.statistics.residentNodes
        for _ in 0..<500 {
            try? await Task.sleep(for: .milliseconds(2))
            let next = realm.statistics.residentNodes
            if next == expected ?? nodes { return next }
            nodes = next
        }
        return nodes
    }
}
