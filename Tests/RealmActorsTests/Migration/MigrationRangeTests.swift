import Foundation
import RealmActors
import Testing

private enum Wide {
    final class Item: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var size: Int
        @Persisted var other: Int?
        @Persisted var sizes: List<Int>
        @Persisted var byName: Map<String, Int?>
        @Persisted var set: MutableSet<Int>
    }
}
private enum Narrow {
    final class Item: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var size: Int8
        @Persisted var other: UInt8?
        @Persisted var sizes: List<Int16>
        @Persisted var byName: Map<String, Int8?>
        @Persisted var set: MutableSet<Int8>
    }
}
private enum Optional8 {
    final class Item: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var size: Int8?
        @Persisted var other: Int?
        @Persisted var sizes: List<Int>
        @Persisted var byName: Map<String, Int?>
        @Persisted var set: MutableSet<Int>
    }
}

/// Integers of every width are stored alike, and nothing distinguished the types: a property that
/// became an Int8 read 300 as 44.
@Suite struct MigrationRangeTests {
    private static func fill(
        _ path: String, _ values: [String: Any], _ count: Int = 300
    ) async throws {
        let realm = try await Realm.open(.init(path: path, objectTypes: [Wide.Item.self]))
        // Unsafe: values that nobody changes.
        nonisolated(unsafe) let values = values
        try await realm.write { tx in
            for id in 0..<count { try tx.create(Wide.Item.self, value: ["id": id, "size": 5]) }
            try tx.create(
                Wide.Item.self, value: values.merging(["id": count]) { first, _ in first })
        }
        try await realm.close()
    }

    private static func configuration(
        _ path: String, _ type: ObjectBase.Type = Narrow.Item.self, version: UInt64 = 1
    ) -> Realm.Configuration {
        Realm.Configuration(path: path, objectTypes: [type], schemaVersion: version)
    }

    @Test func aNarrowerTypeIsADifferenceThatNamesBoth() async throws {
        try await withStorePath { path in
            try await Self.fill(path, ["size": 300])
            let error = await #expect(throws: RealmError.self) {
                try await Realm.open(Self.configuration(path, version: 0))
            }
            guard case .schemaMismatch(let differences) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(differences.count == 5)
            #expect(differences.contains { $0.contains("'Item.size' was Int and is Int8") })
        }
    }

    static let wrong: [(property: String, value: String)] = [
        ("size", "300"), ("other", "-1"), ("sizes", "40000"), ("byName", "128"), ("set", "-129"),
    ]

    @Test("Values that do not fit are named", arguments: wrong)
    func named(_ property: String, _ value: String) async throws {
        try await withStorePath { path in
            let number = try #require(Int(value))
            let values: [String: Any] = [
                "size": number, "other": number, "sizes": [1, number], "byName": ["k": number],
                "set": [number],
            ]
            try await Self.fill(path, [property: values[property] as Any])
            let plan = try await Realm.migrationPlan(for: Self.configuration(path))
            #expect(plan.misfits.map(\.property) == [property])
            #expect(plan.misfits.first?.values == [number] && plan.misfits.first?.count == 1)
            #expect(plan.description.contains("Item.\(property)"))
            let error = await #expect(throws: RealmError.self) {
                try await Realm.open(Self.configuration(path))
            }
            guard case .invalidValue(let text) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(text.contains("Item.\(property)") && text.contains(value))
            // Nothing has changed.
            let realm = try await Realm.open(.init(path: path, objectTypes: [Wide.Item.self]))
            #expect(realm.objects(Wide.Item.self).count == 301)
            try await realm.close()
        }
    }

    @Test func aMigrationMakesThemFit() async throws {
        try await withStorePath { path in
            try await Self.fill(path, ["size": 300, "sizes": [1, 2], "other": 200])
            var configuration = Self.configuration(path)
            configuration.migration = { migration, _ in
                try migration.enumerateObjects(ofType: "Item") { old, new in
                    #expect(new?["size"] as? Int == old?["size"] as? Int)
                    new?["size"] = min(old?["size"] as? Int ?? 0, 127)
                }
            }
            let realm = try await Realm.open(configuration)
            let last = try #require(realm.object(Narrow.Item.self, forPrimaryKey: 300))
            #expect(last.size == 127 && last.other == 200 && Array(last.sizes) == [1, 2])
            #expect(realm.object(Narrow.Item.self, forPrimaryKey: 299)?.size == 5)
            #expect(try await realm.verify().isIntact)
            try await realm.close()
            #expect(try await Realm.migrationPlan(for: configuration).outcome == .open)
        }
    }

    @Test func whatTheMigrationSetsMustFit() async throws {
        try await withStorePath { path in
            try await Self.fill(path, ["size": 3])
            var configuration = Self.configuration(path)
            configuration.migration = { migration, _ in
                try migration.enumerateObjects(ofType: "Item") { _, new in new?["size"] = 1000 }
            }
            let error = await #expect(throws: RealmError.self) {
                try await Realm.open(configuration)
            }
            #expect(error?.description.contains("1000") == true)
        }
    }

    @Test func anOptionalOfANarrowerTypeIsCheckedToo() async throws {
        try await withStorePath { path in
            try await Self.fill(path, ["size": 300])
            let configuration = Self.configuration(path, Optional8.Item.self)
            let error = await #expect(throws: RealmError.self) {
                try await Realm.open(configuration)
            }
            #expect(error?.description.contains("Item.size, Int8: 300") == true)
        }
    }

    /// Nothing is lost, but the program before would misread what is written now.
    @Test func aWiderTypeNeedsNothingAndKeepsNarrowerProgramsOut() async throws {
        try await withStorePath { path in
            var realm = try await Realm.open(Self.configuration(path, version: 0))
            try await realm.write { tx in
                try tx.create(Narrow.Item.self, value: ["id": 1, "size": -7, "sizes": [3]])
            }
            try await realm.close()
            realm = try await Realm.open(.init(path: path, objectTypes: [Wide.Item.self]))
            #expect(realm.object(Wide.Item.self, forPrimaryKey: 1)?.size == -7)
            try await realm.write { tx in try tx.create(Wide.Item.self, value: ["id": 2]) }
            #expect(try await realm.verify().isIntact)
            try await realm.close()
            await #expect(throws: RealmError.self) {
                try await Realm.open(Self.configuration(path, version: 0))
            }
        }
    }
}
