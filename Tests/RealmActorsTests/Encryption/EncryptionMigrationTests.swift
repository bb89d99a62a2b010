import Foundation
import Storage
import Testing

@testable import RealmActors

/// What opening does with encrypted stores before they are open.
@Suite(.enabled(if: EncryptionAlgorithm.isAvailable)) struct EncryptionMigrationTests {
    @Test func anEncryptedStoreIsPlannedForAndMigrated() async throws {
        let key = try EncryptionKey.made()
        try await withStorePath { path in
            var configuration = EncryptionTests.configuration(path, key)
            configuration.schemaVersion = 1
            let realm = try await Realm.open(configuration)
            try await EncryptionTests.fill(realm, 0..<3)
            try await realm.close()

            #expect(try Realm.schemaVersion(at: path, encryptionKey: key) == 1)
            #expect(throws: RealmError.keyMissing(path: path)) {
                try Realm.schemaVersion(at: path)
            }
            configuration.schemaVersion = 2
            configuration.migration = { migration, _ in
                try migration.enumerateObjects(ofType: "Diary") { old, new in
                    new?["title"] = "new " + (old?["title"] as? String ?? "")
                }
            }
            #expect(try await Realm.migrationPlan(for: configuration).outcome == .migrate)
            let migrated = try await Realm.open(configuration)
            let titles = migrated.objects(Diary.self).values(of: \.title)
            #expect(titles == (0..<3).map { "new title \($0)" })
            #expect(try await migrated.verify().isIntact)
            try await migrated.close()
            let bytes = try EncryptionTests.bytes(at: path)
            #expect(bytes.range(of: Data("new title".utf8)) == nil)
            #expect(try Realm.deleteFiles(at: path))
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test("Z13: a seed is opened with the key of the realm")
    func aSeedIsOpenedWithTheKeyOfTheRealm() async throws {
        let key = try EncryptionKey.made()
        try await withStorePath { seed in
            let realm = try await Realm.open(EncryptionTests.configuration(seed, key))
            try await EncryptionTests.fill(realm, 0..<5)
            try await realm.close()
            try await withStorePath { path in
                var configuration = EncryptionTests.configuration(path, try .made(7))
                configuration.seedFilePath = seed
                await #expect(throws: RealmError.wrongKey(path: seed)) {
                    try await Realm.open(configuration)
                }
                configuration.encryptionKey = key
                let grown = try await Realm.open(configuration)
                EncryptionTests.check(grown, 5)
                try await grown.close()
                let bytes = try EncryptionTests.bytes(at: path)
                #expect(bytes.range(of: Data(EncryptionTests.secret.utf8)) == nil)
            }
        }
    }
}
