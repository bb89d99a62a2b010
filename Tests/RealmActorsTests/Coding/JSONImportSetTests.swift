import Foundation
import RealmActors
import Testing

private final class Basket: Object {
    @Persisted var items: MutableSet<AnyRealmValue>
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
}
