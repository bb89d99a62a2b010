import RealmActors
import Storage
import StorageHarness
import Testing

private enum Weighed {
    final class Crate: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var weight: Int
    }
}
private enum Named {
    final class Crate: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: String
    }
}

/// A migration that a host does not read, since the log was trimmed behind it.
@Suite struct SharedLogMigrationJumpTests {
    private static func isMismatch(_ error: any Error) -> Bool {
        if case RealmError.schemaMismatch = error { true } else { false }
    }

    /// Migrates the realm to models without a weight, and writes until the log has nothing of the
    /// migration any more. Returns how many crates there are.
    private static func migrate(
        _ path: String, _ engine: MemorySharedLog.Engine
    ) async throws -> Int {
        let log = MemorySharedLog(engine)
        let migration = try log.head().next
        var newer = configuration(
            path, engine, [Named.Crate.self], timeout: nil, version: 1
        ) { _, _ in }
        newer.sharedLog?.imageBytesMin = 1 << 10
        let realm = try await Realm.open(newer)
        var count = realm.objects(Named.Crate.self).count
        while try log.head().first <= migration {
            let id = count
            try await realm.write { tx in
                _ = try tx.create(Named.Crate.self, value: ["id": id, "name": "crate \(id)"])
            }
            count += 1
        }
        try await realm.close()
        return count
    }

    /// Its writes said that an earlier one had been lost. Who watched was told nothing where it was
    /// a write that jumped, and no entry came behind the image.
    @Test func aHostThatJumpsOverAMigrationSaysSo() async throws {
        let engine = SimulatedSharedLog.Engine(seed: 1)
        let cutOff = SimulatedSharedLog(engine)
        try await withStorePath { path in
            var older = configuration(path + "-1", engine.memory, [Weighed.Crate.self])
            older.sharedLog = Realm.SharedLog { LogUpToImage(cutOff) }
            let behind = try await Realm.open(older)
            try await behind.write { tx in
                _ = try tx.create(Weighed.Crate.self, value: ["id": 0, "weight": 7])
            }
            var elements = behind.objects(Weighed.Crate.self).changes().makeAsyncIterator()
            #expect(try await elements.next()?.collection.count == 1)
            cutOff.cutOff()
            let count = try await Self.migrate(path + "-2", engine.memory)
            cutOff.heal()
            for id in 1...2 {
                await #expect {
                    try await behind.write { tx in
                        _ = try tx.create(Weighed.Crate.self, value: ["id": -id, "weight": 1])
                    }
                } throws: { error in
                    Self.isMismatch(error)
                }
            }
            await #expect {
                _ = try await behind.refreshed(.toNewest)
            } throws: { error in
                Self.isMismatch(error)
            }
            do {
                while try await elements.next() != nil {}
                Issue.record("The stream ended without an error")
            } catch {
                #expect(Self.isMismatch(error))
            }
            #expect(behind.failure.map { Self.isMismatch($0) } == true)
            // It keeps showing its version, until it is opened with models that fit.
            #expect(behind.objects(Weighed.Crate.self).values(of: \.weight) == [7])
            try await behind.close()
            let again = try await Realm.open(
                configuration(path + "-1", engine.memory, [Named.Crate.self], version: 1))
            #expect(again.objects(Named.Crate.self).count == count)
            #expect(try await again.verify().isIntact)
            try await again.close()
            for number in 1...2 { try Realm.deleteFiles(at: path + "-\(number)") }
        }
    }
}

/// A log as it was when its newest image was made, which therefore stands at its end.
private final class LogUpToImage: WrappedLog {
    let base: any SharedLog

    init(_ base: any SharedLog) { self.base = base }

    func head() throws(SharedLogError) -> SharedLogHead {
        var head = try base.head()
        if let image = try base.images().first { head.next = image.slot }
        return head
    }

    func entries(
        from slot: LogSlot, bytesMax: Int
    ) throws(SharedLogError) -> [SharedLogEntry] {
        let end = try head().next
        return try base.entries(from: slot, bytesMax: bytesMax).filter { $0.slot < end }
    }

    func watch(for slot: LogSlot, _ noticed: @escaping SharedLogWatcher) {
        let image = try? base.images().first
        let isAtEnd = image.map { $0.slot <= slot } ?? false
        base.watch(for: isAtEnd ? LogSlot(.max) : slot, noticed)
    }
}
