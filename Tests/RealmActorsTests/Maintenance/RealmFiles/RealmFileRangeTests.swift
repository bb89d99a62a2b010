import Foundation
import RealmActors
import StorageHarness
import Testing

/// Files that Realm wrote, imported without models: nothing says which integers a property takes
/// before a program opens the realm with its models. A property of `Int8` then read 300 as 44.
@Suite struct RealmFileRangeTests {
    enum Wide {
        final class Crate: Object {
            @Persisted var weight: Int
        }
    }

    enum Narrow {
        final class Crate: Object {
            @Persisted var weight: Int8
        }
    }

    /// With a property that is not in the file.
    enum Longer {
        final class Crate: Object {
            @Persisted var weight: Int8
            @Persisted var label: String
        }
    }

    /// Writes a file of objects with these numbers.
    private static func writeCrates(_ path: String, _ numbers: [Int64]) throws -> URL {
        var builder = RealmFileBuilder()
        builder.table(
            "class_Crate", count: Int64(numbers.count),
            [.init("weight", type: 0, leaf: builder.integers(numbers))])
        let url = URL(fileURLWithPath: path + ".file")
        try Data(builder.file()).write(to: url)
        return url
    }

    /// Makes a realm of objects with these numbers.
    private static func importCrates(_ path: String, _ numbers: [Int64]) async throws {
        let url = try writeCrates(path, numbers)
        defer { try? FileManager.default.removeItem(at: url) }
        try await Realm.importRealmFile(at: url, into: path)
    }

    /// The file was imported, and the realm could then not be opened.
    @Test func aNumberThatDoesNotFitIsRefusedBesideANewProperty() async throws {
        try await withStorePath { path in
            let configuration = Realm.Configuration(
                path: path, objectTypes: [Longer.Crate.self], writeTimeout: nil)
            let url = try Self.writeCrates(path, [1, 300])
            defer { try? FileManager.default.removeItem(at: url) }
            let error = await #expect(throws: RealmError.self) {
                try await Realm.importRealmFile(at: url, into: configuration)
            }
            #expect(error?.description.contains("300 for 'Crate.weight'") == true)
            #expect(!Realm.exists(at: path))
            _ = try Self.writeCrates(path, [1, -7])
            try await Realm.importRealmFile(at: url, into: configuration)
            let realm = try await Realm.open(configuration)
            #expect(realm.objects(Longer.Crate.self).map { $0.weight } == [1, -7])
            #expect(realm.objects(Longer.Crate.self).allSatisfy { $0.label.isEmpty })
            try await realm.close()
        }
    }

    private static func configuration(
        _ path: String, readOnly: Bool = false
    ) -> Realm.Configuration {
        Realm.Configuration(
            path: path, objectTypes: [Narrow.Crate.self], readOnly: readOnly, writeTimeout: nil)
    }

    /// The import was refused, and said to open the realm that it had not made.
    @Test func anImportLooksAtTheNumbersForAReader() async throws {
        try await withStorePath { path in
            let configuration = Self.configuration(path, readOnly: true)
            let url = try Self.writeCrates(path, [1, 300])
            defer { try? FileManager.default.removeItem(at: url) }
            let error = await #expect(throws: RealmError.self) {
                try await Realm.importRealmFile(at: url, into: configuration)
            }
            #expect(error?.description.contains("300 for 'Crate.weight'") == true)
            _ = try Self.writeCrates(path, [1, -7])
            try await Realm.importRealmFile(at: url, into: configuration)
            let realm = try await Realm.open(configuration)
            #expect(realm.objects(Narrow.Crate.self).map { $0.weight } == [1, -7])
            try await realm.close()
        }
    }

    @Test func aNumberThatAModelDoesNotHoldIsRefused() async throws {
        try await withStorePath { path in
            try await Self.importCrates(path, [1, 300])
            let configuration = Self.configuration(path)
            let plan = try await Realm.migrationPlan(for: configuration)
            #expect(plan.misfits.map(\.values) == [[300]])
            for _ in 0..<2 {
                let error = await #expect(throws: RealmError.self) {
                    try await Realm.open(configuration)
                }
                #expect(error?.description.contains("Crate.weight, Int8: 300") == true)
            }
            // Nothing has changed.
            let realm = try await Realm.open(.init(path: path, objectTypes: [Wide.Crate.self]))
            #expect(realm.objects(Wide.Crate.self).map { $0.weight } == [1, 300])
            try await realm.close()
        }
    }

    @Test func numbersThatFitAreLookedAtOnce() async throws {
        try await withStorePath { path in
            try await Self.importCrates(path, [1, -7])
            let reading = Self.configuration(path, readOnly: true)
            // It could not note that it has looked at them.
            let error = await #expect(throws: RealmError.self) { try await Realm.open(reading) }
            guard case .schemaMismatch(let differences)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(differences.first?.contains("'Crate.weight' is Int8") == true)
            var versions: [Realm.Version] = []
            for _ in 0..<2 {
                let realm = try await Realm.open(Self.configuration(path))
                versions.append(realm.latestVersion)
                #expect(realm.objects(Narrow.Crate.self).map { $0.weight } == [1, -7])
                #expect(try await realm.verify().isIntact)
                try await realm.close()
            }
            #expect(versions[0] == versions[1])
            let stored = try await Realm.storedSchema(at: path)
            #expect(stored.schema["Crate"]?["weight"]?.integerBounds == -128...127)
            let reader = try await Realm.open(reading)
            #expect(reader.objects(Narrow.Crate.self).map { $0.weight } == [1, -7])
            try await reader.close()
        }
    }
}
