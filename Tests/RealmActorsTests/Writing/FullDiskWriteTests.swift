import Foundation
import StorageHarness
import Testing

@testable import RealmActors
@testable import Storage

private final class StuffedSack: Object {
    @Persisted var text: String
}

/// Large writes on a disk that is full.
@Suite struct FullDiskWriteTests {
    /// More objects than a write makes before it finds out.
    private static let many = 1_200
    private static let text = String(repeating: "x", count: 100_000)

    // It made all of them in memory, and was refused then.
    @Test func aLargeWriteIsRefusedWhileItRuns() async throws {
        let disk = SimulatedDisk()
        let realm = try await Realm.open(disk.configuration([StuffedSack.self]))
        disk.limit(to: disk.usedBytes + (1 << 20))
        let made = try await realm.write { tx -> Int in
            for number in 0..<Self.many {
                do {
                    _ = try tx.create(StuffedSack.self, value: ["text": Self.text])
                } catch RealmError.outOfSpace {
                    tx.cancel()
                    return number
                }
            }
            return Self.many
        }
        #expect(made < Self.many)
        await #expect(throws: RealmError.outOfSpace) {
            try await realm.write { tx in
                // A program may go on all the same: nothing of it is kept.
                for _ in 0..<Self.many {
                    _ = try? tx.create(StuffedSack.self, value: ["text": Self.text])
                }
            }
        }
        #expect(realm.failure == nil && realm.objects(StuffedSack.self).isEmpty)
        disk.limit(to: nil)
        try await realm.write { tx in
            _ = try tx.create(StuffedSack.self, value: ["text": "short"])
        }
        #expect(realm.objects(StuffedSack.self).count == 1)
        try await realm.close()
    }
}
