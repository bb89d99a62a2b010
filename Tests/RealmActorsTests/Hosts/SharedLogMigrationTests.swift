import Dispatch
import RealmActors
import Storage
import Synchronization
import Testing

private enum Plain {
    final class Parcel: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var weight: Int
    }
    final class Draft: Object {
        @Persisted var text: String
    }

    static let types: [ObjectBase.Type] = [Parcel.self, Draft.self]
}
private enum Listed {
    final class Parcel: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var weight: Int
        @Persisted var label: String
    }
}

private struct Refusal: Error {}

/// A realm of several hosts is migrated by one of them, while the others have it open.
@Suite struct SharedLogMigrationTests {
    private typealias Block = @Sendable (Migration, UInt64) throws -> Void

    private static func open(
        _ path: String, _ engine: MemorySharedLog.Engine, _ types: [ObjectBase.Type],
        version: UInt64 = 0, _ migration: Block? = nil
    ) async throws -> Realm {
        try await Realm.open(
            configuration(
                path, engine, types, timeout: nil, version: version, migration: migration))
    }

    /// A realm with the older models, in which the weight of each parcel is ten times its number.
    private static func make(
        _ path: String, _ engine: MemorySharedLog.Engine, _ count: Int = 3
    ) async throws -> Realm {
        let realm = try await open(path, engine, Plain.types)
        try await realm.write { tx in
            for id in 0..<count { try add(id, tx) }
            try tx.create(Plain.Draft.self, value: ["text": "a"])
        }
        return realm
    }

    private static func add(_ id: Int, _ tx: WriteTransaction) throws {
        try tx.create(Plain.Parcel.self, value: ["id": id, "weight": id * 10])
    }

    /// Gives each parcel one more: done twice, it is seen.
    private static let addsOne: Block = { migration, _ in
        try migration.enumerateObjects(ofType: "Parcel") { old, new in
            new?["weight"] = (old?["weight"] as? Int ?? -1) + 1
        }
    }

    private static func weights(_ realm: Realm) -> [Int] {
        realm.objects(Listed.Parcel.self).values(of: \.weight)
    }

    private static func close(
        _ realms: [Realm], _ path: String, _ numbers: ClosedRange<Int>
    ) async throws {
        for realm in realms {
            #expect(try await realm.verify().isIntact)
            try await realm.close()
        }
        for number in numbers { try Realm.deleteFiles(at: path + "-\(number)") }
    }

    private static func isMismatch(_ error: any Error) -> Bool {
        if case RealmError.schemaMismatch = error { true } else { false }
    }

    /// Persons, each with a place of its own that two links lead to, and as many drafts.
    private static func fill(_ realm: Realm) async throws {
        try await realm.write { tx in
            for id in 0..<300 {
                let place = try tx.create(
                    Before.Place.self, value: ["street": "S\(id)", "inner": ["depth": id]])
                try tx.create(
                    Before.Person.self,
                    value: ["id": id, "fullName": "N\(id)", "home": place, "homes": [place]])
                try tx.create(Before.Draft.self, value: ["text": "d\(id)"])
            }
        }
    }

    /// Whether places are embedded by now, with a copy for each link.
    private static func expectMigrated(_ realm: Realm) {
        let streets = (0..<300).map { "S\($0)!" }
        let persons = realm.objects(Embedding.Person.self)
        #expect(persons.map { $0.home?.street ?? "" } == streets)
        #expect(persons.map { $0.homes.first?.street ?? "" } == streets)
        #expect(persons.map { $0.homes.first?.inner?.depth ?? -1 } == Array(0..<300))
    }

    @Test func oneHostMigratesAndTheOthersOpenAnew() async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            let first = try await Self.open(path + "-1", engine, Before.types)
            try await Self.fill(first)
            let second = try await Self.open(path + "-2", engine, Before.types)
            var elements = second.objects(Before.Draft.self).changes().makeAsyncIterator()
            #expect(try await elements.next()?.collection.count == 300)

            // Properties and a class go as well.
            let types: [ObjectBase.Type] = [
                Embedding.Person.self, Embedding.Place.self, Before.Nest.self,
            ]
            let third = try await Self.open(path + "-3", engine, types, version: 1) {
                migration, _ in
                try migration.enumerateObjects(ofType: "Place") { _, new in
                    new?["street"] = (new?["street"] as? String ?? "") + "!"
                }
                try migration.deleteData(forType: "Draft")
            }
            await #expect {
                _ = try await second.refreshed(.toNewest)
            } throws: { error in
                Self.isMismatch(error)
            }
            await #expect {
                try await first.write { tx in
                    _ = try tx.create(Before.Draft.self, value: ["text": "late"])
                }
            } throws: { error in
                Self.isMismatch(error)
            }
            do {
                while try await elements.next() != nil {}
                Issue.record("The stream ended without an error")
            } catch {
                #expect(Self.isMismatch(error))
            }
            // What they show stays, until they are opened with models that fit.
            #expect(second.objects(Before.Draft.self).count == 300)
            for realm in [first, second] { try await realm.close() }
            await #expect(throws: RealmError.schemaDowngrade(stored: 1, configured: 0)) {
                _ = try await Self.open(path + "-1", engine, Before.types)
            }
            let again = try await Self.open(path + "-1", engine, types, version: 1)
            let fourth = try await Self.open(path + "-4", engine, types, version: 1)
            for realm in [third, again, fourth] {
                Self.expectMigrated(realm)
                #expect(realm.latestVersion == third.latestVersion)
            }
            try await again.write { tx in
                tx.object(Embedding.Person.self, forPrimaryKey: 0)?.home = nil
            }
            let newest = try await third.refreshed(.toNewest)
            #expect(newest.objects(Embedding.Person.self).first?.home == nil)
            try await Self.close([third, again, fourth], path, 1...4)
        }
    }

    /// What only fills in, beside what is added, takes nothing from hosts with the older models.
    @Test func hostsFollowAMigrationThatLeavesThemTheirSchema() async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            let older = try await Self.make(path + "-1", engine)
            let types: [ObjectBase.Type] = [Listed.Parcel.self, Plain.Draft.self]
            let newer = try await Self.open(path + "-2", engine, types, version: 1) {
                migration, oldVersion in
                #expect(oldVersion == 0)
                try migration.enumerateObjects(ofType: "Parcel") { _, new in
                    let id = new?["id"] as? Int ?? -1
                    new?["label"] = "no. \(id)"
                    new?["weight"] = id
                }
            }
            let snapshot = try await older.refreshed(.toNewest)
            #expect(snapshot.objects(Plain.Parcel.self).values(of: \.weight) == [0, 1, 2])
            try await older.write { tx in try Self.add(3, tx) }
            let labels = try await newer.refreshed(.toNewest).objects(Listed.Parcel.self)
                .values(of: \.label)
            #expect(labels == ["no. 0", "no. 1", "no. 2", ""])
            #expect(older.failure == nil)
            try await Self.close([older, newer], path, 1...2)
        }
    }

    @Test func ofHostsThatOpenAtOnceOneMigrates() async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            try await Self.make(path + "-1", engine).close()
            let realms = try await withThrowingTaskGroup(of: Realm.self) { group in
                for number in 1...3 {
                    group.addTask {
                        try await Self.open(
                            path + "-\(number)", engine, [Listed.Parcel.self], version: 1,
                            Self.addsOne)
                    }
                }
                var realms: [Realm] = []
                for try await realm in group { realms.append(realm) }
                return realms
            }
            for realm in realms { #expect(Self.weights(realm) == [1, 11, 21]) }
            try await Self.close(realms, path, 1...3)
        }
    }

    /// What another host commits while a migration runs is migrated as well.
    @Test func aMigrationThatIsSupersededRunsAgain() async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            let runs = Mutex(0)
            let older = try await Self.make(path + "-1", engine)
            let newer = try await Self.open(
                path + "-2", engine, [Listed.Parcel.self], version: 1
            ) { migration, oldVersion in
                try Self.addsOne(migration, oldVersion)
                try migration.create("Parcel", value: ["id": 100, "weight": 100])
                let run = runs.withLock { runs in
                    runs += 1
                    return runs
                }
                guard run == 1 else { return }
                let written = DispatchSemaphore(value: 0)
                Task {
                    do {
                        try await older.write { tx in try Self.add(7, tx) }
                    } catch {
                        Issue.record(error)
                    }
                    written.signal()
                }
                written.wait()
            }
            #expect(runs.withLock { $0 } == 2)
            #expect(Self.weights(newer) == [1, 11, 21, 71, 100])
            #expect(newer.object(Listed.Parcel.self, forPrimaryKey: 7)?.weight == 71)
            try await older.close()
            let again = try await Self.open(
                path + "-1", engine, [Listed.Parcel.self], version: 1)
            #expect(Self.weights(again) == [1, 11, 21, 71, 100])
            try await Self.close([newer, again], path, 1...2)
        }
    }

    @Test func aMigrationThatFailsChangesNothingAnywhere() async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            let older = try await Self.make(path + "-1", engine)
            let version = older.latestVersion
            await #expect(throws: Refusal.self) {
                _ = try await Self.open(
                    path + "-2", engine, [Listed.Parcel.self], version: 1
                ) { migration, _ in
                    try migration.deleteData(forType: "Draft")
                    try migration.enumerateObjects(ofType: "Parcel") { _, new in
                        new?["weight"] = -1
                    }
                    throw Refusal()
                }
            }
            await #expect {
                _ = try await Self.open(
                    path + "-2", engine, [Listed.Parcel.self], version: 1
                ) { migration, _ in
                    try migration.enumerateObjects(ofType: "Parcel") { _, new in new?["id"] = 1 }
                }
            } throws: { error in
                if case RealmError.duplicatePrimaryKeys = error { true } else { false }
            }
            let snapshot = try await older.refreshed(.toNewest)
            #expect(older.latestVersion == version)
            #expect(snapshot.objects(Plain.Parcel.self).values(of: \.weight) == [0, 10, 20])
            try await older.write { tx in try Self.add(3, tx) }
            let other = try await Self.open(path + "-2", engine, Plain.types)
            #expect(other.objects(Plain.Parcel.self).count == 4)
            #expect(other.objects(Plain.Draft.self).count == 1)
            try await Self.close([older, other], path, 1...2)
        }
    }

    /// The engine has the migration, or not, when the connection ends.
    @Test(arguments: [true, false])
    func aMigrationWhoseOutcomeIsUnknownIsSettled(isWritten: Bool) async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            let runs = Mutex(0)
            try await Self.make(path + "-1", engine).close()
            let failure = UncertainAppend(isWritten: isWritten)
            var uncertain = configuration(
                path + "-2", engine, [Listed.Parcel.self], timeout: nil, version: 1
            ) { migration, oldVersion in
                runs.withLock { $0 += 1 }
                try Self.addsOne(migration, oldVersion)
                failure.isDue.withLock { $0 = true }
            }
            uncertain.sharedLog = Realm.SharedLog {
                UncertainLog(MemorySharedLog(engine), failure)
            }
            let realm = try await Realm.open(uncertain)
            #expect(runs.withLock { $0 } == 1 && !failure.isDue.withLock { $0 })
            let other = try await Self.open(
                path + "-1", engine, [Listed.Parcel.self], version: 1, Self.addsOne)
            for host in [realm, other] { #expect(Self.weights(host) == [1, 11, 21]) }
            #expect(realm.latestVersion == other.latestVersion)
            try await Self.close([realm, other], path, 1...2)
        }
    }

    /// One entry of the log does not hold it.
    @Test func aMigrationMayTakeSeveralEntries() async throws {
        let engine = MemorySharedLog.Engine()
        let text = String(repeating: "text", count: 600_000)
        try await withStorePath { path in
            let older = try await Self.make(path + "-1", engine)
            let newer = try await Self.open(
                path + "-2", engine, [Listed.Parcel.self], version: 1
            ) { migration, _ in
                try migration.enumerateObjects(ofType: "Parcel") { old, new in
                    new?["label"] = text + "\(old?["id"] as? Int ?? -1)"
                }
            }
            try await older.close()
            let again = try await Self.open(
                path + "-1", engine, [Listed.Parcel.self], version: 1)
            for realm in [newer, again] {
                let labels = realm.objects(Listed.Parcel.self).values(of: \.label)
                #expect(labels == (0..<3).map { text + "\($0)" })
            }
            try await Self.close([newer, again], path, 1...2)
        }
    }

    @Test func stepsThatHaveNotRunDoSoOnOneHost() async throws {
        let engine = MemorySharedLog.Engine()
        let first = MigrationStep(1, "add one") { try Self.addsOne($0, 0) }
        let second = MigrationStep(2, "forget drafts") { migration in
            try Self.addsOne(migration, 1)
            try migration.deleteData(forType: "Draft")
        }
        try await withStorePath { path in
            try await Self.make(path + "-1", engine).close()
            for (number, steps) in [(1, [first]), (2, [first, second]), (3, [first, second])] {
                var configuration = configuration(
                    path + "-\(number)", engine, [Listed.Parcel.self], timeout: nil)
                configuration.migrationSteps = steps
                let realm = try await Realm.open(configuration)
                let added = min(number, 2)
                #expect(Self.weights(realm) == [added, 10 + added, 20 + added])
                try await Self.close([realm], path, number...number)
            }
        }
    }

    /// The realm as it was before a migration, and behind it, can be made of the log.
    @Test func bothSidesOfAMigrationCanBeRestored() async throws {
        let engine = MemorySharedLog.Engine()
        try await withStorePath { path in
            let older = try await Self.make(path + "-1", engine)
            let version = older.latestVersion
            let newer = try await Self.open(
                path + "-2", engine, [Listed.Parcel.self], version: 1, Self.addsOne)
            let log = Realm.SharedLog { MemorySharedLog(engine) }
            try await Realm.restore(from: log, asOf: .version(version), to: path + "-3")
            let before = try await Realm.open(.init(path: path + "-3", objectTypes: Plain.types))
            #expect(before.objects(Plain.Parcel.self).values(of: \.weight) == [0, 10, 20])
            try await Realm.restore(from: log, asOf: .newest, to: path + "-4")
            let behind = try await Realm.open(
                .init(path: path + "-4", objectTypes: [Listed.Parcel.self], schemaVersion: 1))
            #expect(Self.weights(behind) == [1, 11, 21])
            try await older.close()
            try await Self.close([newer, before, behind], path, 1...4)
        }
    }
}
