import Foundation
import RealmActors
import Testing

private final class Basket: Object {
    @Persisted var items: MutableSet<AnyRealmValue>
}

private final class Readings: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var list: List<Double>
    @Persisted var set: MutableSet<Double>
    @Persisted var map: Map<String, Double>
}

/// JSON for sets of values of any type.
@Suite struct JSONImportSetTests {
    /// They came to stand in the set, which `create` and `insert(_:)` refuse: to change one of them
    /// left the set without its order.
    @Test(
        "P11: an import puts no list and no dictionary into a set",
        arguments: ["[1, [2]]", #"[{"a": 1}]"#])
    func collectionsInASet(_ items: String) async throws {
        try await withFreshRealm([Basket.self]) { realm in
            let json = Data("{\"items\": \(items)}".utf8)
            for isDynamic in [false, true] {
                let error = await #expect(throws: RealmError.self) {
                    try await realm.write { tx in
                        if isDynamic {
                            _ = try tx.dynamicCreate("Basket", json: json)
                        } else {
                            _ = try tx.create(Basket.self, json: json)
                        }
                    }
                }
                #expect("\(error as Any)".contains("'Basket.items'"), "\(error as Any)")
            }
            #expect(realm.objects(Basket.self).isEmpty)
            try await realm.write { tx in
                let plain = Data(#"{"items": [1, 1.0, "a", null]}"#.utf8)
                _ = try tx.create(Basket.self, json: plain)
            }
            #expect(realm.objects(Basket.self).first?.items.count == 3)
            #expect(try await realm.verify().isIntact)
        }
    }

    /// The list and the set were written again with each import.
    @Test("V11: an import finds that what is not a number does not differ from itself")
    func notANumber() async throws {
        try await withFreshRealm([Readings.self]) { realm in
            let decoder = JSONDecoder()
            decoder.nonConformingFloatDecodingStrategy = .convertFromString(
                positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
            func version(after values: String) async throws -> Realm.Version {
                let fields = #""list": [\#(values)], "set": [\#(values)], "map": {"k": "nan"}"#
                let json = Data("{\"id\": 1, \(fields)}".utf8)
                try await realm.write { tx in
                    _ = try tx.create(
                        Readings.self, json: json, update: .modified, decoder: decoder)
                }
                return realm.latestVersion
            }
            let first = try await version(after: #""nan", 1"#)
            #expect(try await version(after: #""nan", 1"#) == first)
            // What does differ is written.
            #expect(try await version(after: #"1, 2, "nan", 2"#) > first)
            let readings = try #require(realm.object(Readings.self, forPrimaryKey: 1))
            #expect(readings.list.count == 4 && readings.list[1] == 2)
            #expect(readings.set.count == 3 && readings.set.contains(2))
            #expect(try await realm.verify().isIntact)
        }
    }
}
