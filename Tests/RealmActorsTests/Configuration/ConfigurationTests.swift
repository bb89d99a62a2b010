import Foundation
import RealmActors
import Storage
import Synchronization
import Testing

private final class Item: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var text: String
}
private enum Later {
    final class Item: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var text: Int
    }
}

/// What each setting of a configuration does.
@Suite struct ConfigurationTests {
    private func fill(
        _ path: String, _ texts: [String] = ["a", "b"], version: UInt64 = 0
    ) async throws {
        let realm = try await Realm.open(
            .init(path: path, objectTypes: [Item.self], schemaVersion: version))
        try await realm.write { tx in
            for (id, text) in texts.enumerated() {
                try tx.create(Item.self, value: ["id": id, "text": text])
            }
        }
        try await realm.close()
    }

    @Test func optionsAreGivenInEitherOrder() {
        let key = EncryptionKey.random()
        let schemaFirst = Realm.Configuration(
            path: "a", objectTypes: [Item.self], schemaVersion: 3, migration: { _, _ in },
            deleteIfMigrationNeeded: true, readOnly: true, encryptionKey: key,
            maximumNumberOfActiveVersions: 4, activeVersionPolicy: .wait(upTo: .seconds(2)),
            durability: .relaxed(every: .seconds(1)), writeTimeout: .seconds(5), memoryBudget: 6,
            history: .keep(bytes: 7), shouldCompactOnOpen: { _, _ in true }, seedFilePath: "b",
            readFailure: .trap, usesStoredSchema: true)
        let schemaLast = Realm.Configuration(
            path: "a", objectTypes: [Item.self], readOnly: true, encryptionKey: key,
            maximumNumberOfActiveVersions: 4, activeVersionPolicy: .wait(upTo: .seconds(2)),
            durability: .relaxed(every: .seconds(1)), writeTimeout: .seconds(5), memoryBudget: 6,
            history: .keep(bytes: 7), schemaVersion: 3, migration: { _, _ in },
            deleteIfMigrationNeeded: true, shouldCompactOnOpen: { _, _ in true },
            seedFilePath: "b", readFailure: .trap, usesStoredSchema: true)
        func shown(_ configuration: Realm.Configuration) -> [String: String] {
            let pairs = Mirror(reflecting: configuration).children
                .map { ($0.label ?? "", "\($0.value)") }
            return Dictionary(uniqueKeysWithValues: pairs)
        }
        #expect(shown(schemaFirst) == shown(schemaLast))
        #expect(schemaFirst.encryptionKey == key && schemaFirst.schemaVersion == 3)
        #expect(schemaFirst.migration != nil && schemaFirst.readFailure == .trap)
        let plain = Realm.Configuration(inMemoryIdentifier: "c", schemaVersion: 1, readOnly: true)
        #expect(plain.inMemoryIdentifier == "c" && plain.readOnly && plain.schemaVersion == 1)
        #expect(plain.readFailure == .report)
    }

    @Test("Z9: a path and an identifier exclude each other")
    func aPathAndAnIdentifierExcludeEachOther() {
        var configuration = Realm.Configuration(path: "a")
        configuration.inMemoryIdentifier = "b"
        #expect(configuration.path == nil && configuration.inMemoryIdentifier == "b")
        configuration.path = "c"
        #expect(configuration.path == "c" && configuration.inMemoryIdentifier == nil)
    }

    @Test("Z15: by path and by configuration")
    func existsAndDeleteFilesByPathAndByConfiguration() async throws {
        try await withStorePath { path in
            let configuration = Realm.Configuration(path: path, objectTypes: [Item.self])
            #expect(!Realm.exists(at: path) && !Realm.exists(for: configuration))
            #expect(try !Realm.deleteFiles(at: path))
            try await fill(path)
            #expect(Realm.exists(at: path) && Realm.exists(for: configuration))
            #expect(try Realm.deleteFiles(at: path))
            #expect(!FileManager.default.fileExists(atPath: path))
            try await fill(path)
            #expect(try Realm.deleteFiles(for: configuration))
            #expect(!Realm.exists(at: path))
            #expect(try !Realm.deleteFiles(for: .init(inMemoryIdentifier: "none")))
        }
    }

    @Test("Z15: refused while the realm is open")
    func deleteFilesIsRefusedWhileOpen() async throws {
        try await withStorePath { path in
            let realm = try await Realm.open(.init(path: path, objectTypes: [Item.self]))
            let error = #expect(throws: RealmError.self) { try Realm.deleteFiles(at: path) }
            guard case .alreadyOpen = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            try await realm.close()
            #expect(try Realm.deleteFiles(at: path))
        }
    }

    @Test("Z15: files of others stay")
    func filesOfOthersStayWhenARealmIsDeleted() async throws {
        try await withStorePath { path in
            try await fill(path)
            let note = path + "/note.txt"
            #expect(FileManager.default.createFile(atPath: note, contents: Data([1])))
            #expect(try Realm.deleteFiles(at: path))
            #expect(FileManager.default.fileExists(atPath: note) && !Realm.exists(at: path))
        }
    }

    @Test("G2: schemaVersion(at:) is the version, or nil without a realm")
    func schemaVersionAtAPathIsNilWithoutARealm() async throws {
        try await withStorePath { path in
            #expect(try Realm.schemaVersion(at: path) == nil)
            try await fill(path, version: 7)
            #expect(try Realm.schemaVersion(at: path) == 7)
            // Beside an open realm, too.
            let realm = try await Realm.open(
                .init(path: path, objectTypes: [Item.self], schemaVersion: 8))
            #expect(try Realm.schemaVersion(at: path) == 8)
            try await realm.close()
        }
    }

    @Test("G3: a realm that is open is not migrated")
    func anotherSchemaVersionOfAnOpenRealmIsRefused() async throws {
        try await withStorePath { path in
            var configuration = Realm.Configuration(path: path, objectTypes: [Item.self])
            let realm = try await Realm.open(configuration)
            configuration.schemaVersion = 1
            await #expect(
                throws: RealmError.alreadyOpen(path: path, difference: "schemaVersion is 0")
            ) { try await Realm.open(configuration) }
            try await realm.close()
        }
    }

    @Test("Z11: begins anew, and no code is called")
    func deleteIfMigrationNeededBeginsAnew() async throws {
        try await withStorePath { path in
            try await fill(path)
            var configuration = Realm.Configuration(
                path: path, objectTypes: [Later.Item.self], deleteIfMigrationNeeded: true)
            configuration.migration = { _, _ in throw RealmError.invalidValue("It was called.") }
            #expect(try await Realm.migrationPlan(for: configuration).outcome == .delete)
            var realm = try await Realm.open(configuration)
            #expect(realm.objects(Later.Item.self).count == 0)
            try await realm.write { tx in try tx.create(Later.Item.self, value: ["id": 1]) }
            try await realm.close()
            // Nothing differs now.
            realm = try await Realm.open(configuration)
            #expect(realm.objects(Later.Item.self).count == 1)
            try await realm.close()
        }
    }

    @Test("Z12: asked once, with the sizes")
    func shouldCompactOnOpenIsAskedOnceWithTheSizes() async throws {
        try await withStorePath { path in
            try await fill(path)
            let asked = Mutex<[(total: Int, used: Int)]>([])
            var configuration = Realm.Configuration(path: path, objectTypes: [Item.self])
            configuration.shouldCompactOnOpen = { total, used in
                asked.withLock { $0.append((total, used)) }
                return true
            }
            let realm = try await Realm.open(configuration)
            let again = try await Realm.open(configuration)
            #expect(again.objects(Item.self).count == 2)
            let sizes = asked.withLock { $0 }
            #expect(sizes.count == 1)
            #expect(sizes.allSatisfy { $0.used > 0 && $0.used <= $0.total })
            try await realm.close()
        }
    }

    @Test("Z13: copied only where there is no realm")
    func aSeedIsCopiedOnlyWhereThereIsNoRealm() async throws {
        try await withStorePath { seed in
            try await fill(seed, ["seeded"], version: 3)
            try await withStorePath { path in
                let configuration = Realm.Configuration(
                    path: path, objectTypes: [Item.self], schemaVersion: 3, seedFilePath: seed)
                for round in 0..<2 {
                    let realm = try await Realm.open(configuration)
                    #expect(
                        realm.objects(Item.self).map(\.text) == (round == 0 ? ["seeded"] : ["x"]))
                    try await realm.write { tx in tx.objects(Item.self).first?.text = "x" }
                    try await realm.close()
                }
                #expect(!FileManager.default.fileExists(atPath: path + ".seeding"))
                let original = try await Realm.open(
                    .init(path: seed, objectTypes: [Item.self], schemaVersion: 3))
                #expect(original.objects(Item.self).first?.text == "seeded")
                try await original.close()
            }
        }
    }

    @Test("Z13: a missing seed is an error and leaves nothing")
    func aMissingSeedIsAnErrorAndLeavesNothing() async throws {
        try await withStorePath { path in
            let configuration = Realm.Configuration(
                path: path, objectTypes: [Item.self], seedFilePath: path + ".seed")
            let error = await #expect(throws: RealmError.self) {
                try await Realm.open(configuration)
            }
            guard case .fileNotFound = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test("Z9: what contradicts itself is refused")
    func whatContradictsItselfIsRefused() async throws {
        var readOnly = Realm.Configuration(path: "contradiction.realm", readOnly: true)
        readOnly.deleteIfMigrationNeeded = true
        var compacting = Realm.Configuration(path: "contradiction.realm", readOnly: true)
        compacting.shouldCompactOnOpen = { _, _ in true }
        let unversioned = Realm.Configuration(
            path: "contradiction.realm", schemaVersion: .max)
        let both = Realm.Configuration(path: "contradiction.realm", inMemoryIdentifier: "a")
        for wrong in [readOnly, compacting, unversioned, both] {
            let error = await #expect(throws: RealmError.self) { try await Realm.open(wrong) }
            guard case .invalidValue = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
    }

    /// They were taken: no write could begin then, or the log was synced all the time.
    @Test("Z9: sizes and durations with which nothing works are refused")
    func whatCannotWorkIsRefused() async throws {
        let changes: [@Sendable (inout Realm.Configuration) -> Void] = [
            { $0.maximumNumberOfActiveVersions = 0 },
            { $0.activeVersionPolicy = .wait(upTo: .seconds(-1)) },
            { $0.activeVersionPolicy = .wait(upTo: .seconds(Int64.max)) },
            { $0.durability = .relaxed(every: .zero) },
            { $0.durability = .relaxed(every: .seconds(-1)) },
            { $0.durability = .relaxed(every: .seconds(Int64.max)) },
            { $0.writeTimeout = .milliseconds(-1) },
            { $0.writeTimeout = .seconds(Int64.max) },
            { $0.memoryBudget = 0 },
            { $0.history = .keep(bytes: -1) },
            { $0.history = .keep(for: .seconds(-1)) },
            { $0.seedFilePath = "seed.realm" },
        ]
        for (number, change) in changes.enumerated() {
            var configuration = Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString, objectTypes: [Item.self])
            change(&configuration)
            let wrong = configuration
            let error = await #expect(throws: RealmError.self, "number \(number)") {
                try await Realm.open(wrong)
            }
            guard case .invalidValue = error else {
                Issue.record("number \(number): \(String(describing: error))")
                continue
            }
        }
    }

    /// It was refused: tests and previews make theirs of the configuration of an app.
    @Test("Z4, Z13: an identifier in memory takes the seed's place")
    func anIdentifierTakesTheSeedsPlace() async throws {
        var configuration = Realm.Configuration(
            path: "seeded.realm", objectTypes: [Item.self], seedFilePath: "seed.realm")
        configuration.inMemoryIdentifier = UUID().uuidString
        #expect(configuration.path == nil && configuration.seedFilePath == nil)
        let realm = try await Realm.open(configuration)
        #expect(realm.objects(Item.self).isEmpty)
        try await realm.close()
    }

    @Test("Z9: none is a size and a duration")
    func noneIsASizeAndADuration() async throws {
        var configuration = Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString, objectTypes: [Item.self],
            maximumNumberOfActiveVersions: 1, activeVersionPolicy: .wait(upTo: .zero),
            writeTimeout: .zero, history: .keep(bytes: 0))
        configuration.monitorLimits.interval = .zero
        let realm = try await Realm.open(configuration)
        #expect(realm.objects(Item.self).isEmpty)
        try await realm.close()
    }

    @Test("Z14: an empty class and other indexes, but no new property")
    func readOnlyTakesAnEmptyClassAndOtherIndexesButNoNewProperty() async throws {
        enum Wider {
            final class Item: Object {
                @Persisted(primaryKey: true) var id: Int
                @Persisted(indexed: true) var text: String
            }
            final class Extra: Object {
                @Persisted var number: Int
            }
        }
        enum Widest {
            final class Item: Object {
                @Persisted(primaryKey: true) var id: Int
                @Persisted var text: String
                @Persisted var more: String?
            }
        }
        try await withStorePath { path in
            try await fill(path)
            let realm = try await Realm.open(
                .init(path: path, objectTypes: [Wider.Item.self, Wider.Extra.self], readOnly: true))
            #expect(realm.objects(Wider.Extra.self).isEmpty)
            #expect(realm.objects(Wider.Item.self).where { $0.text == "b" }.count == 1)
            await #expect(throws: RealmError.readOnly) { try await realm.write { _ in } }
            try await realm.close()
            let error = await #expect(throws: RealmError.self) {
                try await Realm.open(
                    .init(path: path, objectTypes: [Widest.Item.self], readOnly: true))
            }
            guard case .schemaMismatch(let differences) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(differences == ["Property 'Item.more' has been added."])
        }
    }

    /// It was refused, though nothing would have been lost.
    @Test("Z14: and a property less, which is not shown")
    func readOnlyTakesAPropertyLess() async throws {
        enum Narrower {
            final class Item: Object {
                @Persisted(primaryKey: true) var id: Int
            }
        }
        try await withStorePath { path in
            try await fill(path)
            let configuration = Realm.Configuration(
                path: path, objectTypes: [Narrower.Item.self], readOnly: true)
            #expect(try await Realm.migrationPlan(for: configuration).outcome == .open)
            let realm = try await Realm.open(configuration)
            let items = realm.objects(Narrower.Item.self)
            #expect(items.map(\.id) == [0, 1] && items.filter { $0.id > 0 }.count == 1)
            #expect(throws: RealmError.self) { try items.filter("text == 'a'") }
            let first = try #require(items.first)
            let data = try JSONEncoder().encode(first)
            #expect(String(decoding: data, as: UTF8.self) == #"{"id":0}"#)
            #expect(throws: RealmError.self) { try first["text"] }
            let named = try realm.dynamicObjects("Item")
            #expect(try named.map { try $0["id"] } == [.int(0), .int(1)])
            #expect(try await realm.verify().isIntact)
            try await realm.close()
            let whole = try await Realm.open(.init(path: path, objectTypes: [Item.self]))
            #expect(whole.objects(Item.self).map(\.text) == ["a", "b"])
            try await whole.close()
        }
    }

    @Test func handlesThatOutliveACloseAnswerWithErrors() async throws {
        try await withStorePath { path in
            let realm = try await Realm.open(.init(path: path, objectTypes: [Item.self]))
            try await realm.write { tx in try tx.create(Item.self, value: ["id": 1]) }
            let snapshot = realm.snapshot()
            let point = realm.latestVersion
            try await realm.close()
            await #expect(throws: RealmError.closed) { try await realm.write { _ in } }
            await #expect(throws: RealmError.closed) { try await realm.revert(to: snapshot) }
            await #expect(throws: RealmError.closed) {
                try await realm.write(ifUnchangedSince: point) { _ in }
            }
            await #expect(throws: RealmError.closed) { try await realm.compact() }
            #expect(snapshot.objects(Item.self).count == 1)
            try await realm.close()
        }
    }
}
