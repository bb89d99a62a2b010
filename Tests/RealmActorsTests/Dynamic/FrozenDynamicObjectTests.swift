import Foundation
import RealmActors
import Testing

/// Frozen objects and results of classes that are known by their names, linked to and thawed.
@Suite struct FrozenDynamicObjectTests {
    /// They were copied, each time anew; in a value of any type they were refused.
    @Test("V7: frozen dynamic objects are linked to, as those of a class are; embedded ones copied")
    func frozenDynamicObjectsAreLinkedTo() async throws {
        try await DynamicFixture.withOwner { realm in
            let pet = try #require(try realm.dynamicObjects("DynamicPet").first)
            let collar = try #require(try realm.dynamicObjects("DynamicCollar").first)
            try await realm.write { tx in
                let given = try #require(tx.resolve(pet))
                let values: [String: Any] = [
                    "id": 2, "pet": pet, "pets": [pet], "byName": ["a": pet], "any": pet,
                    "collar": collar,
                ]
                try tx.dynamicCreate("DynamicOwner", value: values)
                try tx.create(DynamicOwner.self, value: values.merging(["id": 3]) { $1 })
                for id in [2, 3] {
                    let owner = try #require(tx.object(DynamicOwner.self, forPrimaryKey: id))
                    #expect(given.isSameObject(as: owner.pet))
                    #expect(owner.pets.map { given.isSameObject(as: $0) } == [true])
                    #expect(owner.byName["a"]??.isSameObject(as: given) == true)
                    #expect(owner.any.dynamicObject?.isSameObject(as: given) == true)
                    #expect(owner.collar?.color == "blue")
                }
                #expect(tx.objects(DynamicPet.self).count == 3)
            }
            #expect(try realm.dynamicObjects("DynamicCollar").count == 3)
            #expect(try await realm.verify().isIntact)
            // In another realm they are copied.
            try await withFreshRealm(DynamicFixture.models) { other in
                try await other.write { tx in
                    let values: [String: Any] = ["id": 1, "pet": pet]
                    try tx.dynamicCreate("DynamicOwner", value: values)
                    try tx.create(DynamicOwner.self, value: values.merging(["id": 2]) { $1 })
                }
                #expect(other.objects(DynamicPet.self).count == 2)
            }
        }
    }

    /// They were nil.
    @Test("F7: frozen results of dynamic objects are thawed, and so are their sections")
    @MainActor func resultsAreThawed() async throws {
        try await DynamicFixture.withOwner { realm in
            let live = try await realm.live()
            let pets = try realm.dynamicObjects("DynamicPet").filter("age == nil")
            let sections = pets.sectioned { $0["name"] as? String ?? "" }
            try await live.write {
                _ = try live.dynamicCreate("DynamicPet", value: ["name": "Pip"])
            }
            let thawed = try #require(pets.thaw(in: live))
            #expect(thawed.map { $0["name"] as? String } == ["Tom", "Kit", "Pip"])
            #expect(sections.thaw(in: live)?.allKeys == ["Tom", "Kit", "Pip"])
            #expect(sections[0].thaw(in: live)?.count == 1)
            try await DynamicFixture.withOwner { other in
                let elsewhere = try await other.live()
                #expect(pets.thaw(in: elsewhere) == nil)
            }
        }
    }

    /// Queries ended the process, what was thawed had objects of no realm, and those that linked to
    /// one were objects of their class, taken for dynamic ones.
    @Test("F5, F7: frozen collections and inverses of dynamic objects are queried and thawed")
    @MainActor func collectionsAreThawed() async throws {
        try await DynamicFixture.withOwner { realm in
            let live = try await realm.live()
            let found = try live.dynamicObject(ofType: "DynamicOwner", forPrimaryKey: 1)
            let owner = try #require(found)
            let pets = try owner.dynamicList("pets")
            let frozen = pets.freeze()
            #expect(try frozen.filter("name == 'Kit'").count == 1)
            #expect(try frozen.sum(ofProperty: "age") == 0)
            let thawed = try #require(frozen.thaw(in: live))
            #expect(thawed.isSame(as: pets))
            #expect(thawed.map { $0["name"] as? String } == ["Tom", "Kit"])
            let pet = try #require(thawed.first)
            let owners = try #require(pet["owners"] as? LinkingObjects<DynamicObject>)
            func petOf(_ owner: DynamicObject?) -> String? {
                (owner?["pet"] as? DynamicObject)?["name"] as? String
            }
            #expect(try petOf(owners.filter("id == 1").first) == "Rex")
            let past = owners.freeze()
            #expect(try past.map { try $0["name"] } == ["Ann"])
            #expect(petOf(past.thaw(in: live)?.first) == "Rex")
        }
    }
}
