import Foundation
import RealmActors
import Testing

private enum Plain {
    final class Book: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var shelf: String
    }
}
private enum Unique {
    final class Book: Object, IndexedModel {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var shelf: String
        static var indexes: [Index<Book>] { [Index(unique: \.shelf)] }
    }
}
/// With a property more, whose values are to be given to the objects.
private enum Added {
    final class Book: Object, IndexedModel {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var shelf: String
        @Persisted var pages: Int
        static var indexes: [Index<Book>] { [Index(unique: \.shelf)] }
    }
}
private enum Renamed {
    final class Book: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var place: String
    }
}

/// A plan says what the opening does.
@Suite struct MigrationForecastTests {
    private static func fill(_ path: String, _ shelves: [String]) async throws {
        let realm = try await Realm.open(.init(path: path, objectTypes: [Plain.Book.self]))
        try await realm.write { tx in
            for (id, shelf) in shelves.enumerated() {
                try tx.create(
                    Plain.Book.self, value: ["id": id, "shelf": shelf] as [String: Any])
            }
        }
        try await realm.close()
    }

    /// The plan said that the realm opens with additions.
    @Test("O7: a unique index that objects break is refused, as by the opening")
    func brokenUniqueIndex() async throws {
        try await withStorePath { path in
            try await Self.fill(path, ["a", "b", "a"])
            for type in [Unique.Book.self, Added.Book.self] as [ObjectBase.Type] {
                var configuration = Realm.Configuration(path: path, objectTypes: [type])
                let error = await #expect(throws: RealmError.self) {
                    try await Realm.open(configuration)
                }
                guard case .duplicateValues? = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
                var plan = try await Realm.migrationPlan(for: configuration)
                #expect(plan.outcome == error.map { MigrationPlan.Outcome.refuse($0) })
                // Code of the program may see to it.
                configuration.schemaVersion = 1
                configuration.migration = { migration, _ in
                    try migration.enumerateObjects(ofType: "Book") { _, new in
                        if new?["id"] as? Int == 2 { new?["shelf"] = "c" }
                    }
                }
                plan = try await Realm.migrationPlan(for: configuration)
                #expect(plan.outcome == .migrate)
            }
        }
        try await withStorePath { path in
            try await Self.fill(path, ["a", "b"])
            let configuration = Realm.Configuration(path: path, objectTypes: [Unique.Book.self])
            #expect(try await Realm.migrationPlan(for: configuration).outcome == .extend)
            try await Realm.open(configuration).close()
        }
    }

    /// The plan said that a realm is made, and the opening refused the copy of the seed.
    @Test("O7: a realm that is to be a copy of a seed is planned as the seed is")
    func seed() async throws {
        try await withStorePath { path in
            try await Self.fill(path, ["a"])
            var configuration = Realm.Configuration(
                path: path + "-copy", objectTypes: [Plain.Book.self])
            configuration.seedFilePath = path
            #expect(try await Realm.migrationPlan(for: configuration).outcome == .open)
            configuration.objectTypes = [Renamed.Book.self]
            let plan = try await Realm.migrationPlan(for: configuration)
            #expect(plan.outcome == .refuse(.schemaMismatch(differences: plan.differences)))
            #expect(plan.differences.count == 2 && !Realm.exists(at: path + "-copy"))
            await #expect(throws: RealmError.schemaMismatch(differences: plan.differences)) {
                try await Realm.open(configuration)
            }
            _ = try? Realm.deleteFiles(at: path + "-copy")
        }
    }

    /// The plan said that a realm is made.
    @Test("O7, Z13: without its seed no realm is planned, as none is opened")
    func missingSeed() async throws {
        try await withStorePath { path in
            let configuration = Realm.Configuration(
                path: path, objectTypes: [Plain.Book.self], seedFilePath: path + ".seed")
            let error = await #expect(throws: RealmError.self) {
                try await Realm.migrationPlan(for: configuration)
            }
            guard case .fileNotFound(let missing)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(missing.hasSuffix(".seed"))
        }
    }

    /// The plan said that a realm is made.
    @Test("O7, Z14, Z18: where the opening makes no realm, none is planned")
    func missingRealm() async throws {
        try await withStorePath { path in
            let readOnly = Realm.Configuration(
                path: path, objectTypes: [Plain.Book.self], readOnly: true)
            let nameless = Realm.Configuration(path: path, usesStoredSchema: true)
            for configuration in [readOnly, nameless] {
                let error = await #expect(throws: RealmError.self) {
                    try await Realm.migrationPlan(for: configuration)
                }
                guard case .fileNotFound? = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
            }
        }
    }
}
