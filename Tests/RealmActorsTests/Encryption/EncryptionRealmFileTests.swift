import Foundation
import RealmActors
import Storage
import StorageHarness
import Testing

/// Encrypted files of Realm, imported into encrypted realms.
@Suite(.enabled(if: EncryptionAlgorithm.isAvailable)) struct EncryptionRealmFileTests {
    typealias Thing = RealmFileImportTests.Thing

    static let file = RealmFileImportTests.files
        .appendingPathComponent("streaming-encrypted.realm")
    static let key = Data((0..<64).map { UInt8(truncatingIfNeeded: 3 * $0 + 7) })
    /// The first text of an object, and one that is long enough to stand in a file as it is.
    static let text = "mpybvytcbxguhyyrmxzojrshxfdfelyoathqhiewvthboxdaaalfpznmusnkwxov"

    static func configuration(_ key: EncryptionKey?) -> Realm.Configuration {
        .init(
            path: TestFolder.path("encrypted"), objectTypes: [Thing.self], encryptionKey: key,
            schemaVersion: 4)
    }

    /// The objects, and that the files of the realm say nothing of them unless it has no key.
    static func check(_ configuration: Realm.Configuration, behind first: Int) async throws {
        let realm = try await Realm.open(configuration)
        #expect(try await realm.verify().isIntact)
        let things = realm.objects(Thing.self)
        #expect(things.map { $0.id } == Array(-first..<300))
        #expect(realm.object(Thing.self, forPrimaryKey: 0)?.long == text)
        #expect(realm.object(Thing.self, forPrimaryKey: 6)?.other?.short == "s3")
        try await realm.close()
        let path = try #require(configuration.path)
        let isSeen = try EncryptionTests.bytes(at: path).range(of: Data(text.utf8)) != nil
        #expect(isSeen == (configuration.encryptionKey == nil))
    }

    @Test func theNewRealmIsEncryptedWhenTheConfigurationHasAKey() async throws {
        for key in [try EncryptionKey.made(), nil] {
            let configuration = Self.configuration(key)
            let report = try await Realm.importRealmFile(
                at: Self.file, into: configuration, key: Self.key)
            #expect(report.objectCounts == ["Thing": 300] && report.isComplete)
            try await Self.check(configuration, behind: 0)
        }
    }

    @Test func anOpenEncryptedRealmTakesAnEncryptedFile() async throws {
        for key in [try EncryptionKey.made(), nil] {
            let configuration = Self.configuration(key)
            let realm = try await Realm.open(configuration)
            try await realm.write { tx in _ = try tx.create(Thing.self, value: ["id": -1]) }
            let report = try await Realm.importRealmFile(
                at: Self.file, into: realm, key: Self.key)
            #expect(report.objectCounts == ["Thing": 300] && report.isComplete)
            try await realm.close()
            try await Self.check(configuration, behind: 1)
        }
    }

    @Test func withoutItsKeyNothingIsImported() async throws {
        let realm = try await Realm.open(Self.configuration(.made()))
        let version = realm.snapshot().version
        for key in [nil, Data(count: 64), Data(count: 32)] {
            await #expect {
                try await Realm.importRealmFile(at: Self.file, into: realm, key: key)
            } throws: { error in
                guard case RealmError.unreadableRealmFile = error else { return false }
                return true
            }
        }
        #expect(realm.snapshot().version == version)
        try await realm.close()
    }
}
