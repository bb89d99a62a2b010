import RealmActors
import Testing

private final class Harbour: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var depth: Int
    @Persisted var pilot: Pilot?
    @Persisted var boats: List<Boat>
}

private final class Pilot: Object {
    @Persisted var name: String
    @Persisted var age: Int
}

private final class Boat: Object {
    @Persisted var name: String
    @Persisted var length: Int
}

private final class Lamp: Object {
    @Persisted var isLit: Bool
}

/// Streams of classes that the realm was opened without.
@Suite struct UndeclaredStreamTests {
    private func withHarbour(_ body: (Realm) async throws -> Void) async throws {
        try await withStorePath { path in
            let types: [ObjectBase.Type] = [Harbour.self, Pilot.self, Boat.self]
            let declared = try await Realm.open(.init(path: path, objectTypes: types))
            try await declared.write { tx in
                let value: [String: Any] = [
                    "name": "Elbe", "depth": 3,
                    "pilot": ["name": "Ann", "age": 40] as [String: Any],
                    "boats": [["name": "Kit", "length": 5] as [String: Any]],
                ]
                _ = try tx.create(Harbour.self, value: value)
            }
            try await declared.close()
            let realm = try await Realm.open(.init(path: path, objectTypes: [Lamp.self]))
            try await body(realm)
            try await realm.close()
        }
    }

    private func change(
        _ realm: Realm, _ body: @escaping @Sendable (DynamicObject) throws -> Void
    ) async throws {
        try await realm.write { tx in
            let found = try tx.dynamicObject(ofType: "Harbour", forPrimaryKey: "Elbe")
            try body(#require(found))
        }
    }

    @Test func keyPathsOfAnObjectGoThroughItsLinks() async throws {
        try await withHarbour { realm in
            let found = try realm.dynamicObject(ofType: "Harbour", forPrimaryKey: "Elbe")
            let harbour = try #require(found)
            var changes = harbour.changes(keyPaths: ["pilot.age", "boats.length"])
                .makeAsyncIterator()
            try await change(realm) { $0.depth = 4 }
            try await change(realm) { ($0.pilot as? DynamicObject)?.name = "Bob" }
            try await change(realm) { ($0.pilot as? DynamicObject)?.age = 41 }
            guard case .change(let now, let properties)? = try await changes.next() else {
                Issue.record("no change")
                return
            }
            #expect(properties.map(\.name) == ["pilot"])
            #expect(try now["depth"] == .int(4))
            try await change(realm) { try $0.dynamicList("boats")[0].length = 6 }
            guard case .change(_, let further)? = try await changes.next() else {
                Issue.record("no change")
                return
            }
            #expect(further.map(\.name) == ["boats"])
        }
    }

    @Test func keyPathsOfResultsDecideWhatIsModified() async throws {
        try await withHarbour { realm in
            var changes = try realm.dynamicObjects("Harbour").changes(keyPaths: ["*.age"])
                .makeAsyncIterator()
            guard case .initial(let first)? = try await changes.next() else {
                Issue.record("no beginning")
                return
            }
            #expect(first.count == 1)
            try await change(realm) { try $0.dynamicList("boats")[0].length = 6 }
            try await change(realm) { ($0.pilot as? DynamicObject)?.age = 41 }
            guard case .update(_, _, _, let modified)? = try await changes.next() else {
                Issue.record("no change")
                return
            }
            #expect(Array(modified) == [0])
        }
    }

    @Test func whatIsNoPathIsRefused() async throws {
        try await withHarbour { realm in
            let harbours = try realm.dynamicObjects("Harbour")
            for path in ["age", "pilot.depth", "depth.x", "", "pilot."] {
                await #expect(throws: RealmError.self, "\(path)") {
                    for try await _ in harbours.changes(keyPaths: [path]) { break }
                }
            }
        }
    }
}
