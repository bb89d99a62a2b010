import RealmActors
import Testing

/// Mistakes in the code of a migration where it cannot throw: names that the objects do not have,
/// and changes of old objects. Each ended the process.
@Suite struct MigrationNameTests {
    /// The error of a migration with `body`, which must leave the store as it was.
    private func failure(
        _ body: @escaping @Sendable (Migration) throws -> Void
    ) async throws -> RealmError? {
        try await withStorePath { path in
            try await Before.fill(path)
            let error = await #expect(throws: RealmError.self) {
                try await Realm.open(
                    .init(
                        path: path, objectTypes: Before.types, schemaVersion: 1,
                        migration: { migration, _ in try body(migration) }))
            }
            #expect(try Realm.schemaVersion(at: path) == 0)
            #expect(try await Before.isIntact(path))
            return error
        }
    }

    private static let draftsMistake = RealmError.invalidKeyPath(
        "'typo' is not a persisted property of class 'Draft', which has: text.")

    @Test("Setting an unknown property of a new object fails the migration")
    func setting() async throws {
        let error = try await failure { migration in
            var visited = 0
            defer { #expect(visited == 1) }
            try migration.enumerateObjects(ofType: "Draft") { _, new in
                visited += 1
                new?["text"] = "changed"
                new?["typo"] = 1
            }
        }
        #expect(error == Self.draftsMistake)
    }

    @Test("Reading an unknown property of an old or a new object fails the migration")
    func reading() async throws {
        let old = try await failure { migration in
            try migration.enumerateObjects(ofType: "Draft") { old, new in
                new?["text"] = "changed"
                let value = old?["typo"]
                #expect(value == nil)
            }
        }
        #expect(old == Self.draftsMistake)
        let new = try await failure { migration in
            try migration.enumerateObjects(ofType: "Draft") { _, new in
                let value = new?.typo
                #expect(value == nil)
            }
        }
        #expect(new == Self.draftsMistake)
        let linked = try await failure { migration in
            try migration.enumerateObjects(ofType: "Person") { old, _ in
                let place = old?["home"] as? MigrationObject
                #expect(place?["city"] == nil)
            }
        }
        #expect(
            linked
                == .invalidKeyPath(
                    "'city' is not a persisted property of class 'Place', "
                        + "which has: street, inner."))
    }

    @Test("Setting a property of an old object fails the migration")
    func settingOldObjects() async throws {
        let error = try await failure { migration in
            try migration.enumerateObjects(ofType: "Draft") { old, _ in old?["text"] = "changed" }
        }
        guard case .invalidObject(let text)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(text.contains("a frozen 'Draft'"))
    }

    @Test("An unknown property outside of an enumeration fails the migration")
    func outsideOfAnEnumeration() async throws {
        let error = try await failure { migration in
            let draft = try migration.create("Draft", value: ["text": "new"])
            draft.typo = 1
        }
        #expect(error == Self.draftsMistake)
    }

    @Test("A migration that catches the error of an unknown property fails still")
    func caught() async throws {
        let error = try await failure { migration in
            try? migration.enumerateObjects(ofType: "Draft") { old, _ in _ = old?["typo"] }
        }
        #expect(error == Self.draftsMistake)
    }
}
