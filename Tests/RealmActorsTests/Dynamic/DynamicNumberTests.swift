import RealmActors
import Testing

private final class Narrow: Object {
    @Persisted(primaryKey: true) var id: Int16
    @Persisted var size: Int8
    @Persisted var limit: UInt8?
    @Persisted var sizes: List<Int8>
    @Persisted var numbers: MutableSet<Int16>
    @Persisted var byName: Map<String, Int32>
}

/// Narrow integers that are set by name.
@Suite struct DynamicNumberTests {
    private static var tooLarge: [String: Any] {
        [
            "size": 300, "limit": -1, "sizes": [1, 128], "numbers": [40_000],
            "byName": ["a": 1 << 40],
        ]
    }

    /// What does not fit a narrow integer was stored by its name, and read as another number.
    @Test(arguments: [true, false])
    func numbersThatANarrowPropertyLacksAreRefusedByNameToo(isDeclared: Bool) async throws {
        try await withStorePath { path in
            let made = try await Realm.open(
                Realm.Configuration(path: path, objectTypes: [Narrow.self]))
            try await made.close()
            let types: [ObjectBase.Type] = isDeclared ? [Narrow.self] : []
            let realm = try await Realm.open(
                Realm.Configuration(path: path, objectTypes: types, writeTimeout: nil))
            try await realm.write { tx in
                let object = try tx.dynamicCreate("Narrow", value: ["id": 1, "size": 127])
                for (name, value) in Self.tooLarge {
                    #expect(throws: RealmError.self) { try object.setValue(value, forName: name) }
                }
                try object.setValue(255, forName: "limit")
                try object.setValue([-128], forName: "sizes")
            }
            for name in Self.tooLarge.keys {
                await #expect(throws: RealmError.self) {
                    try await realm.write { tx in
                        let value: [String: Any] = ["id": 2, name: Self.tooLarge[name] ?? 0]
                        _ = try tx.dynamicCreate("Narrow", value: value)
                    }
                }
            }
            await #expect(throws: RealmError.self) {
                try await realm.write { tx in
                    _ = try tx.dynamicCreate("Narrow", value: ["id": 40_000])
                }
            }
            await #expect(throws: RealmError.self) {
                try await realm.write { tx in
                    let object = try tx.dynamicObject(ofType: "Narrow", forPrimaryKey: 1)
                    object?["size"] = 300
                }
            }
            let objects = try realm.snapshot().dynamicObjects("Narrow")
            #expect(objects.count == 1)
            let object = try #require(objects.first)
            #expect(try object["size"] == .int(127))
            #expect(try object["limit"] == .int(255))
            try await realm.close()
        }
    }

    /// They have collections of `Int`, which stored 300 as 44.
    @Test func collectionsOfNarrowIntegersRefuseWhatTheyLack() async throws {
        try await withStorePath { path in
            let made = try await Realm.open(
                Realm.Configuration(path: path, objectTypes: [Narrow.self]))
            try await made.write { tx in
                _ = try tx.create(Narrow.self, value: ["id": 1, "sizes": [5], "byName": ["a": 6]])
            }
            try await made.close()
            let realm = try await Realm.open(
                Realm.Configuration(path: path, objectTypes: [], writeTimeout: nil))
            let changes: [@Sendable (NarrowCollections) -> Void] = [
                { $0.sizes.append(300) }, { $0.sizes.append(objectsIn: [1, 300]) },
                { $0.sizes.insert(300, at: 0) }, { $0.sizes[0] = 300 },
                { $0.sizes.replaceSubrange(0..<1, with: [-129]) }, { $0.sizes.assign([300]) },
                { $0.numbers.insert(40_000) }, { $0.numbers.formUnion([1, 40_000]) },
                { $0.byName["a"] = 1 << 40 }, { $0.byName.updateValue(1 << 40, forKey: "b") },
            ]
            for change in changes {
                let error = await #expect(throws: RealmError.self) {
                    try await realm.write { tx in change(try NarrowCollections(tx)) }
                }
                #expect("\(error as Any)".contains("Narrow."))
            }
            try await realm.write { tx in
                let all = try NarrowCollections(tx)
                all.sizes.append(objectsIn: [-128, 127])
                all.numbers.insert(32_767)
                all.byName["a"] = Int(Int32.max)
            }
            let object = try #require(try realm.snapshot().dynamicObjects("Narrow").first)
            #expect(try object["sizes"] == .list([.int(5), .int(-128), .int(127)]))
            try await realm.close()
        }
    }

    private struct NarrowCollections {
        let sizes: List<Int>
        let numbers: MutableSet<Int>
        let byName: Map<String, Int>

        init(_ tx: WriteTransaction) throws {
            let object = try #require(try tx.dynamicObject(ofType: "Narrow", forPrimaryKey: 1))
            sizes = try #require(try object.value(forName: "sizes") as? List<Int>)
            numbers = try #require(try object.value(forName: "numbers") as? MutableSet<Int>)
            byName = try #require(try object.value(forName: "byName") as? Map<String, Int>)
        }
    }
}
