import Foundation
import RealmActors
import Testing

private enum Grown {
    final class Extra: Object {
        @Persisted var number: Int
    }
}

/// Which objects a migration visits, and what is left of those that it deletes.
@Suite struct MigrationVisitTests {
    private func migrate(
        _ path: String, _ types: [ObjectBase.Type] = Before.types, version: UInt64 = 1,
        _ body: @escaping @Sendable (Migration) throws -> Void
    ) async throws -> Realm {
        try await Realm.open(
            .init(
                path: path, objectTypes: types, schemaVersion: version,
                migration: { migration, _ in try body(migration) }))
    }

    /// They were visited without a new object, so that programs ended that unwrap it, as they do
    /// with Realm.
    @Test("G8: what a migration has deleted is not visited again")
    func deletedObjects() async throws {
        try await withStorePath { path in
            try await Before.fill(path, 600)
            let realm = try await migrate(path) { migration in
                try migration.enumerateObjects(ofType: "Person") { old, new in
                    let id = new?["id"] as? Int ?? -1
                    #expect(old?["id"] as? Int == id)
                    if id >= 250, let new { try migration.delete(new) }
                }
                var visited = 0
                try migration.enumerateObjects(ofType: "Person") { old, new in
                    #expect(new != nil && old?["id"] as? Int == new?["id"] as? Int)
                    visited += 1
                }
                #expect(visited == 250)
                // What takes the place of a deleted object is not visited either.
                try migration.enumerateObjects(ofType: "Draft") { _, new in
                    if let new { try migration.delete(new) }
                    try migration.create("Draft", value: ["text": "again"])
                }
                try migration.enumerateObjects(ofType: "Draft") { _, _ in
                    Issue.record("All of them were deleted.")
                }
            }
            #expect(realm.objects(Before.Person.self).values(of: \.id) == Array(0..<250))
            let texts = realm.objects(Before.Draft.self).values(of: \.text)
            #expect(texts == Array(repeating: "again", count: 600))
            #expect(try await realm.verify().isIntact)
            try await realm.close()
        }
    }

    /// Its objects stayed, and the answer was that there is no such class.
    @Test("G9: a class that comes with the migration is emptied too")
    func aNewClassIsEmptied() async throws {
        try await withStorePath { path in
            try await Before.fill(path)
            let types: [ObjectBase.Type] = [Before.Draft.self, Grown.Extra.self]
            let realm = try await migrate(path, types) { migration in
                try migration.create("Extra", value: ["number": 1])
                let hadExtras = try migration.deleteData(forType: "Extra")
                #expect(hadExtras)
                try migration.create("Extra", value: ["number": 2])
                try migration.deleteData(forType: "Draft")
                try migration.enumerateObjects(ofType: "Draft") { _, _ in
                    Issue.record("All of them were deleted.")
                }
                // A class that is not declared any more goes altogether, and so only once.
                let hadPersons = try migration.deleteData(forType: "Person")
                let hasPersons = try migration.deleteData(forType: "Person")
                #expect(hadPersons && !hasPersons)
            }
            #expect(realm.objects(Grown.Extra.self).values(of: \.number) == [2])
            #expect(realm.objects(Before.Draft.self).isEmpty)
            #expect(throws: RealmError.self) { try realm.dynamicObjects("Person") }
            #expect(try realm.dynamicObjects("Place").count == 3)
            #expect(try await realm.verify().isIntact)
            try await realm.close()
        }
    }

    @Test("G11: keys of deleted objects are free, and those of new ones may change")
    func keysWithinAMigration() async throws {
        try await withStorePath { path in
            try await Before.fill(path)
            let realm = try await migrate(path) { migration in
                try migration.deleteData(forType: "Person")
                for id in [2, 4] { try migration.create("Person", value: ["id": id]) }
                for id in 10..<15 {
                    // Until it gets its own, it has the key of another one.
                    let person = try migration.create("Person", value: ["id": 2, "size": id])
                    person["id"] = id
                }
            }
            #expect(realm.objects(Before.Person.self).values(of: \.id) == [2, 4] + Array(10..<15))
            for id in 10..<15 {
                #expect(realm.object(Before.Person.self, forPrimaryKey: id)?.size == id)
            }
            #expect(try await realm.verify().isIntact)
            try await realm.close()
            let error = await #expect(throws: RealmError.self) {
                try await migrate(path, version: 2) { migration in
                    try migration.create("Person", value: ["id": 10])
                    return
                }
            }
            #expect(
                error
                    == .duplicatePrimaryKeys(
                        className: "Person", property: "id", values: ["10 (2 objects)"]))
            #expect(try Realm.schemaVersion(at: path) == 1)
        }
    }
}
