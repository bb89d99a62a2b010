import Foundation
import RealmActors
import Storage
import Synchronization
import Testing

private final class Parcel: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var town: String
    @Persisted var note: String?
    @Persisted var parts: List<Parcel>
    @Persisted var twin: Parcel?
    @Persisted var tags: MutableSet<String>
    @Persisted var extras: Map<String, AnyRealmValue>
}

private enum Stamp: String, PersistableEnum { case paid, free }

private final class Envelope: Object {
    @Persisted var stamp: Stamp = .paid
}

private func fill(_ realm: Realm, _ range: Range<Int>) async throws {
    try await realm.write { tx in
        for id in range {
            let parcel = try tx.create(
                Parcel.self, value: ["id": id, "town": "town \(id % 10)", "note": "\(id)"])
            parcel.tags.insert("tag \(id % 3)")
            parcel.extras["key"] = .int(id)
            guard id > 0, let other = tx.object(Parcel.self, forPrimaryKey: id / 2) else {
                continue
            }
            parcel.twin = other
            parcel.parts.append(other)
        }
    }
}

/// The whole store can be checked through the public interface.
@Suite struct VerificationTests {
    @Test("O10: a sound store is intact")
    func aSoundStoreIsIntact() async throws {
        try await withFreshRealm([Parcel.self]) { realm in
            for start in 0..<10 { try await fill(realm, start * 100..<(start + 1) * 100) }
            try await realm.write { tx in
                try tx.delete(tx.objects(Parcel.self).where { $0.id > 700 })
            }
            let report = try await realm.verify()
            #expect(report.isIntact && report.problems.isEmpty, "\(report.problems)")
            #expect(report.version == realm.latestVersion)
            #expect(report.checked.objects == 701)
            #expect(report.checked.links == 1400)
            #expect(report.checked.commits == 12 && report.checked.segments >= 1)
            #expect(report.checked.frames >= 12 && report.checked.logBytes > 10_000)
        }
    }

    @Test func verifyingRunsBesideWrites() async throws {
        try await withFreshRealm([Parcel.self]) { realm in
            try await fill(realm, 0..<2000)
            async let writing: Void = {
                for start in 20..<60 { try await fill(realm, start * 100..<(start + 1) * 100) }
            }()
            for _ in 0..<6 {
                let report = try await realm.verify()
                #expect(report.isIntact, "\(report.problems)")
            }
            try await writing
            #expect(try await realm.verify().checked.objects == 6000)
        }
    }

    @Test func progressAscendsToTheEnd() async throws {
        try await withFreshRealm([Parcel.self]) { realm in
            try await fill(realm, 0..<3000)
            let parts = Parts()
            _ = try await realm.verify { parts.append($0) }
            #expect(parts.all.count > 5 && parts.all == parts.all.sorted())
            #expect(parts.all.last == 1 && parts.all.allSatisfy { (0...1).contains($0) })
        }
    }

    @Test func cancellingTheTaskEndsIt() async throws {
        try await withFreshRealm([Parcel.self]) { realm in
            try await fill(realm, 0..<3000)
            let task = Task {
                try await realm.verify()
            }
            task.cancel()
            await #expect(throws: CancellationError.self) { _ = try await task.value }
        }
    }

    /// The last part, in which it looks for values that no case has, did not notice.
    @Test func cancellingEndsItInItsLastPart() async throws {
        try await withFreshRealm([Envelope.self]) { realm in
            try await realm.write { tx in
                for _ in 0..<10 { try tx.create(Envelope.self) }
            }
            let (gate, opener) = AsyncStream.makeStream(of: Void.self)
            let running = Mutex<Task<VerificationReport, any Error>?>(nil)
            let task = Task {
                for await _ in gate {}
                return try await realm.verify { part in
                    if part == 1 { running.withLock { $0?.cancel() } }
                }
            }
            running.withLock { $0 = task }
            opener.finish()
            await #expect(throws: CancellationError.self) { _ = try await task.value }
        }
    }

    @Test func storesInMemoryCanBeVerified() async throws {
        let realm = try await Realm.open(
            .init(
                inMemoryIdentifier: UUID().uuidString, objectTypes: [Parcel.self], writeTimeout: nil
            ))
        try await fill(realm, 0..<50)
        let report = try await realm.verify()
        #expect(report.isIntact && report.checked.objects == 50 && report.checked.frames == 0)
        try await realm.close()
        await #expect(throws: RealmError.closed) { _ = try await realm.verify() }
    }

    @Test("O10: damage to the log is found while the store is open")
    func damageToTheLogIsFoundWhileTheStoreIsOpen() async throws {
        try await withStorePath { path in
            let realm = try await Realm.open(
                .init(path: path, objectTypes: [Parcel.self], writeTimeout: nil))
            for start in 0..<5 { try await fill(realm, start * 10..<(start + 1) * 10) }
            let segment = path + "/log/0000000001.log"
            let file = try #require(FileHandle(forUpdatingAtPath: segment))
            try file.seek(toOffset: 2000)
            let byte = try #require(try file.read(upToCount: 1)?.first)
            try file.seek(toOffset: 2000)
            try file.write(contentsOf: [byte ^ 4])
            try file.close()
            let report = try await realm.verify()
            #expect(!report.isIntact)
            let problem = try #require(report.problems.first)
            #expect(problem.kind == .log && problem.file == segment)
            #expect((problem.offset ?? 0) <= 2000 && problem.description.contains(segment))
            #expect(report.checked.objects == 50)
            try await realm.close()
        }
    }
}

private final class Parts: Sendable {
    private let values = Mutex<[Double]>([])
    func append(_ value: Double) { values.withLock { $0.append(value) } }
    var all: [Double] { values.withLock { $0 } }
}
