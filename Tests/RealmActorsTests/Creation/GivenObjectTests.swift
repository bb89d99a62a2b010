import Foundation
import RealmActors
import Testing

private final class Owner: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var home: House?
    @Persisted var houses: List<House>
    @Persisted var named: Map<String, House?>
    @Persisted var friend: Owner?
    @Persisted var counts: Map<String, Int?>
}
private final class House: EmbeddedObject {
    @Persisted var street: String
    @Persisted var size: Int
    @Persisted var rooms: List<GivenRoom>
}
private final class GivenRoom: EmbeddedObject {
    @Persisted var number: Int
}
/// Has the names of an owner, and more.
private final class Visitor: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var home: House?
    @Persisted var houses: List<House>
    @Persisted var named: Map<String, House?>
    @Persisted var friend: Visitor?
    @Persisted var counts: Map<String, Int?>
    @Persisted var since: Date
}
private final class Stranger: Object {
    @Persisted var id: Int
    @Persisted var name: String
}

private let types: [ObjectBase.Type] = [
    Owner.self, House.self, GivenRoom.self, Visitor.self, Stranger.self,
]

/// What is created of other objects, and of what they embed.
@Suite struct GivenObjectTests {
    private static func values(_ id: Int) -> [String: Any] {
        [
            "id": id, "name": "n\(id)",
            "home": ["street": "h\(id)", "size": 1, "rooms": [["number": 1], ["number": 2]]],
            "houses": [["street": "a", "size": 2], ["street": "b", "size": 3]],
            "named": ["x": ["street": "c", "size": 4]],
        ]
    }

    /// The embedded objects before the one that has a parent already stayed without any, which
    /// `verify()` took for damage, and their owner stayed by half.
    @Test("A2: a graph that cannot be added leaves nothing, although the write continues")
    func aGraphThatCannotBeAdded() async throws {
        try await withFreshRealm(types) { realm in
            try await realm.write { tx in
                let first = try tx.create(Owner.self, value: Self.values(1))
                let value: [String: Any] = [
                    "id": 2, "name": "Bo", "houses": [["street": "new", "size": 1]],
                ]
                let second = try Owner(value: value)
                second.houses.append(first.houses[0])
                #expect(throws: RealmError.self) { try tx.add(second) }
                #expect(second.isInvalidated && second.name == "Bo")
                #expect(tx.object(Owner.self, forPrimaryKey: 2) == nil)
                #expect(first.houses.map(\.street) == ["a", "b"])
            }
            #expect(realm.objects(Owner.self).count == 1)
            #expect(try await realm.verify().isIntact)
        }
    }

    @Test("A2: what was there before stays when a graph cannot be added")
    func whatWasThereStaysWhenAGraphCannotBeAdded() async throws {
        try await withFreshRealm(types) { realm in
            try await realm.write { tx in
                let first = try tx.create(Owner.self, value: Self.values(1))
                let other = try tx.create(Owner.self, value: Self.values(2))
                let value: [String: Any] = ["id": 1, "home": ["street": "new", "size": 1]]
                let changed = try Owner(value: value)
                changed.friend = other
                changed.houses.append(other.houses[0])
                #expect(throws: RealmError.self) { try tx.add(changed, update: .all) }
                #expect(!first.isInvalidated && !other.isInvalidated)
                #expect(other.houses.map(\.street) == ["a", "b"])
                let third = try Owner(value: ["id": 3])
                third.friend = other
                third.houses.append(other.houses[0])
                #expect(throws: RealmError.self) { try tx.add(third) }
                #expect(third.isInvalidated && !other.isInvalidated)
            }
            #expect(realm.objects(Owner.self).map(\.id) == [1, 2])
            #expect(try await realm.verify().isIntact)
        }
    }

    /// Stayed with the defaults of its class, and what it was to embed without a parent.
    @Test("V6: an object that cannot be created by name leaves nothing in a write that continues")
    func anObjectThatCannotBeCreatedByName() async throws {
        try await withFreshRealm(types) { realm in
            try await realm.write { tx in
                let houses: [[String: Any]] = [
                    ["street": "new", "size": 1], ["street": "b", "size": "large"],
                ]
                let wrong = Self.values(1).merging(["houses": houses]) { $1 }
                #expect(throws: RealmError.self) { try tx.dynamicCreate("Owner", value: wrong) }
                let owner = try tx.dynamicCreate("Owner", value: Self.values(1))
                let mixed: [Any] = [houses[0], 5]
                #expect(throws: RealmError.self) { try owner.setValue(mixed, forName: "houses") }
                #expect(try owner.dynamicList("houses").count == 2)
            }
            #expect(realm.objects(Owner.self).count == 1)
            #expect(try await realm.verify().isIntact)
        }
    }

    /// Threw "an embedded object has exactly one parent".
    @Test("D26: a managed object is copied with what it embeds")
    func managedWithEmbedded() async throws {
        try await withFreshRealm(types) { realm in
            try await realm.write { tx in
                let first = try tx.create(Owner.self, value: Self.values(1))
                first.friend = first
                let copy = try tx.create(
                    Owner.self,
                    value: [
                        "id": 2, "name": first.name, "home": first.home as Any,
                        "houses": first.houses, "named": first.named, "friend": first,
                    ])
                #expect(copy.home?.street == "h1" && copy.home?.rooms.map(\.number) == [1, 2])
                #expect(copy.houses.map(\.street) == ["a", "b"])
                #expect(copy.named["x"]??.street == "c" && copy.friend?.id == 1)
                copy.home?.street = "other"
                #expect(first.home?.street == "h1" && first.houses.count == 2)
                // The same embedded object twice makes two.
                let twice = try tx.create(
                    Owner.self,
                    value: ["id": 3, "houses": [first.houses[0], first.houses[0]]])
                twice.houses[0].street = "changed"
                #expect(twice.houses.map(\.street) == ["changed", "a"])
                // And by its own name, from a whole object of the same class.
                let unmanaged = try Owner(value: ["id": 4])
                unmanaged.home = try House(value: ["street": "u"])
                #expect(try tx.create(Owner.self, value: unmanaged).home?.street == "u")
                #expect(unmanaged.realm == nil)
            }
            #expect(try await realm.verify().isIntact)
        }
    }

    @Test("D26: an object of another class is read by the names of its properties")
    func ofAnotherClass() async throws {
        try await withFreshRealm(types) { realm in
            try await realm.write { tx in
                let visitor = try tx.create(Visitor.self, value: Self.values(7))
                visitor.friend = visitor
                let owner = try tx.create(Owner.self, value: ["id": 1, "friend": visitor])
                #expect(owner.friend?.id == 7 && owner.friend?.home?.street == "h7")
                #expect(owner.friend?.friend?.id == 7)
                #expect(tx.objects(Owner.self).count == 2)
                #expect(try Owner(value: visitor.freeze()).name == "n7")
                // A superclass is no other than the rest: what it lacks is missed.
                let stranger = try Stranger(value: ["id": 9, "name": "s"])
                let makes: [() throws -> Owner] = [
                    { try tx.create(Owner.self, value: stranger) },
                    { try Owner(value: stranger) },
                    { try tx.create(Owner.self, value: ["id": 10, "friend": stranger]) },
                ]
                for make in makes {
                    let error = #expect(throws: RealmError.self) { _ = try make() }
                    #expect(error?.description.contains("'Owner.home' has no value") == true)
                    #expect(error?.description.contains("a 'Stranger'") == true)
                }
            }
        }
    }

    /// The write failed although the program had caught the error.
    @Test func aCaughtErrorOfAPrimaryKeyLeavesTheWriteAsItIs() async throws {
        try await withFreshRealm(types) { realm in
            try await realm.write { tx in
                let owner = try tx.create(Owner.self, value: Self.values(1))
                let error = #expect(throws: RealmError.self) {
                    try owner.setValue(5, forName: "id")
                }
                #expect(error?.description.contains("primary key") == true)
                owner.name = "kept"
            }
            #expect(realm.object(Owner.self, forPrimaryKey: 1)?.name == "kept")
            // An assignment cannot throw: it fails the write.
            await #expect(throws: RealmError.self) {
                try await realm.write { tx in
                    tx.object(Owner.self, forPrimaryKey: 1)?.id = 5
                }
            }
            #expect(realm.object(Owner.self, forPrimaryKey: 1)?.name == "kept")
        }
    }

    /// The program stopped, as with a name that is none.
    @Test("L5: what cannot be set by name fails the write")
    func whatCannotBeSetByName() async throws {
        try await withFreshRealm(types) { realm in
            try await realm.write { tx in
                try tx.create(Owner.self, value: ["id": 1])
                return
            }
            let changes: [@Sendable (WriteTransaction, DynamicObject) throws -> Void] = [
                { _, owner in owner["friend"] = ["id": 1] },
                { tx, owner in
                    let other = try tx.dynamicCreate("Owner", value: ["id": 2])
                    try tx.delete(other)
                    owner["friend"] = other
                },
                { tx, owner in
                    try tx.delete(owner)
                    owner["name"] = "gone"
                },
            ]
            for change in changes {
                await #expect(throws: RealmError.self) {
                    try await realm.write { tx in
                        let owner = try tx.dynamicObject(ofType: "Owner", forPrimaryKey: 1)
                        try change(tx, #require(owner))
                    }
                }
            }
            #expect(realm.objects(Owner.self).map(\.id) == [1])
            // In a rolled back write an assignment has no effect.
            try await realm.write { tx in
                let found = try tx.dynamicObject(ofType: "Owner", forPrimaryKey: 1)
                let owner = try #require(found)
                tx.cancel()
                owner["name"] = "void"
            }
            #expect(realm.object(Owner.self, forPrimaryKey: 1)?.name == "")
        }
    }

    @Test("D27: nil removes the key of an optional value, updateValue stores it")
    func optionalMaps() async throws {
        try await withFreshRealm(types) { realm in
            try await realm.write { tx in
                let owner = try tx.create(Owner.self, value: ["id": 1])
                owner.counts["a"] = 1
                owner.counts.updateValue(nil, forKey: "b")
                owner.named["x"] = try House(value: ["street": "s"])
                owner.counts["a"] = nil
                owner.named["x"] = nil
                #expect(owner.counts.keys == ["b"] && owner.named.isEmpty)
                #expect(owner.counts["b"] == .some(nil))
            }
            #expect(try realm.dynamicObjects("House").isEmpty)
            #expect(try await realm.verify().isIntact)
        }
    }
}
