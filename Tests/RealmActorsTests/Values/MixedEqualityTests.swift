import Foundation
import RealmActors
import Testing

private final class Crate: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var any: AnyRealmValue
    @Persisted var list: List<AnyRealmValue>
    @Persisted var map: Map<String, AnyRealmValue>
}

/// Without a primary key: two accessors of one row are two instances, which are not equal.
private final class Item: Object {
    @Persisted var name: String
}

private let models: [ObjectBase.Type] = [Crate.self, Item.self]

/// Equality of values of any type that have collections in them.
@Suite struct MixedEqualityTests {
    private static func nested(_ item: Item) -> AnyRealmValue {
        ["items": [.object(item), 1], "first": .object(item)]
    }

    private static func list(_ item: Item) -> AnyRealmValue { [.object(item)] }

    /// A value was not equal to itself, read again, where an object without a primary key was in
    /// one of its collections.
    @Test("P11: a value equals itself, read again, with objects in its collections")
    func objectsInCollections() async throws {
        try await withFreshRealm(models) { realm in
            try await realm.write { tx in
                let (crate, item) = (Crate(), Item())
                crate.any = Self.nested(item)
                #expect(crate.any == Self.nested(item) && crate.any != Self.nested(Item()))
                try tx.add(crate)
                let (first, again) = (crate.any, crate.any)
                #expect(first == again && Set([first, again]).count == 1)
                #expect(first.dictionaryValue?["items"] == again.dictionaryValue?["items"])
                let other = try tx.create(Crate.self, value: ["id": 1])
                other.any = crate.any
                #expect(other.any == first && Set([other.any, first]).count == 1)
                other.any.dictionaryValue?["items"]?.listValue?[1] = 2
                #expect(other.any != first)
                other.any = crate.any
                other.any.dictionaryValue?["more"] = nil
                #expect(other.any == first)
                other.any.dictionaryValue?["more"] = AnyRealmValue.none
                #expect(other.any != first)
                crate.map["a"] = crate.any
                #expect(crate.map["a"] == first && crate.map == ["a": first])
            }
        }
    }

    @Test("P11, D24: values of two kinds differ, in collections too")
    func kinds() {
        let values: [AnyRealmValue] = [
            1, 1.0, .float(1), true, "1", .decimal128("1"), nil, [], [:], [nil], [1], [1.0],
            ["a": 1], ["a": 1.0], ["b": 1], [[1]], [["a": 1]],
        ]
        #expect(Set(values).count == values.count)
        for (position, value) in values.enumerated() {
            #expect(values.firstIndex(of: value) == position)
        }
    }

    /// A list did not have its own elements, where unmanaged objects were in them.
    @Test("P11, Q17: a list finds collections with objects in them")
    func positions() async throws {
        try await withFreshRealm(models) { realm in
            try await realm.write { tx in
                let (crate, item) = (Crate(), Item())
                let elements: [AnyRealmValue] = [
                    Self.list(item), Self.nested(item), .object(item),
                ]
                crate.list.append(objectsIn: elements)
                for isAdded in [false, true] {
                    if isAdded { try tx.add(crate) }
                    #expect(elements.map { crate.list.index(of: $0) } == [0, 1, 2])
                    #expect(crate.list.lastIndex(of: Self.nested(item)) == 1)
                    #expect(crate.list.index(of: Self.list(Item())) == nil)
                    #expect(crate.list == List(elements))
                }
                // A link to an object that is deleted reads as nil.
                try tx.delete(item)
                let deleted: AnyRealmValue = [nil]
                #expect(crate.list.index(of: deleted) == 0)
                #expect(crate.list.lastIndex(of: deleted) == 0)
            }
        }
    }

    /// An object of another realm was taken for the one that has its class and number here.
    @Test("P11, D23: a list finds no collection with an object of another realm")
    @MainActor func otherRealms() async throws {
        var crates: [Crate] = []
        for _ in 0..<2 {
            let live = try await freshRealm(models).live()
            let crate = try await live.write { try live.create(Crate.self) }
            try await live.write { crate.list.append(Self.list(try live.create(Item.self))) }
            crates.append(crate)
        }
        #expect(crates[0].list.index(of: crates[0].list[0]) == 0)
        #expect(crates[0].list.index(of: crates[1].list[0]) == nil)
        #expect(crates[0].list != crates[1].list)
    }
}
