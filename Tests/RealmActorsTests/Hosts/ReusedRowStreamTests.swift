import RealmActors
import Storage
import StorageHarness
import Synchronization
import Testing

/// An object that only its row identifies.
private final class Crate: Object {
    @Persisted var number: Int
    @Persisted var labels: List<String>
    @Persisted var parts: List<Crate>
}

/// Streams of an object whose write was rolled back, after another host has given its row key to
/// another object, and later commits have passed the number of the write.
@Suite struct ReusedRowStreamTests {
    private struct Refusal: Error {}

    /// Creates a crate in a write that is rolled back.
    private func rollBack(in realm: Realm) async throws -> Frozen<Crate> {
        let found = Mutex<Frozen<Crate>?>(nil)
        await #expect(throws: Refusal.self) {
            try await realm.write { tx in
                let crate = try tx.create(Crate.self, value: ["number": 1, "labels": ["a"]])
                let frozen = crate.freeze()
                found.withLock { $0 = frozen }
                throw Refusal()
            }
        }
        return try #require(found.withLock { $0 })
    }

    /// They followed the other object, which has no primary key that distinguishes it.
    @Test("D1: streams of an object that was rolled back do not follow another one")
    func streams() async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            let own = try await Realm.open(configuration(path + "-1", engine, [Crate.self]))
            let other = try await Realm.open(configuration(path + "-2", engine, [Crate.self]))
            let lost = try await rollBack(in: own)
            for number in 2...3 {
                try await other.write { tx in
                    let crate = try tx.create(
                        Crate.self, value: ["number": number, "labels": ["b"]])
                    crate.parts.append(crate)
                }
            }
            _ = try await own.refreshed(.toNewest)
            let later = try #require(own.objects(Crate.self).first)
            // Otherwise nothing can be mistaken.
            #expect(later.number == 2 && later.reference == lost.reference)
            var changes = lost.changes().makeAsyncIterator()
            let error = await #expect(throws: RealmError.self) { try await changes.next() }
            #expect(error?.description.contains("rolled back") == true)
            var labels = lost.labels.changes().makeAsyncIterator()
            #expect(try await labels.next() == nil)
            var parts = lost.parts.sorted(by: \.number).changes().makeAsyncIterator()
            #expect(try await parts.next() == nil)
            var laterLabels = later.labels.changes().makeAsyncIterator()
            #expect(try await laterLabels.next()?.collection.first == "b")
            for realm in [own, other] { try await realm.close() }
            for number in 1...2 { try Realm.deleteFiles(at: path + "-\(number)") }
        }
    }
}
