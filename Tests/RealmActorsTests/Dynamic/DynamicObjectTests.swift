import Foundation
import RealmActors
import Testing

private final class Kernel: Object {
    @Persisted var shell: Shell?
}

private final class Shell: EmbeddedObject {
    @Persisted var level: Int
    @Persisted var inner: Shell?
}

/// Has a default for everything that is more than a plain value.
private final class Den: Object {
    @Persisted var tags: List<String> = ["new"]
    @Persisted var numbers: MutableSet<Int> = [1, 2]
    @Persisted var byName: Map<String, Int> = ["one": 1]
    @Persisted var pet: DynamicPet? = DynamicPet()
    @Persisted var collar: DynamicCollar? = DynamicCollar()
    @Persisted var any: AnyRealmValue = 5
}

/// Has a default that is the same object for all.
private final class Shed: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var keeper: DynamicOwner? = DynamicOwner()
}

/// A program that declares no other class than this.
private final class Stranger: Object {
    @Persisted var name: String
}

/// Access by name.
@Suite struct DynamicObjectTests {
    @Test("L5: properties are read and set by name")
    func propertiesAreReadAndSetByName() async throws {
        try await DynamicFixture.withOwner { realm in
            try await realm.write { tx in
                let owner = try #require(tx.object(DynamicOwner.self, forPrimaryKey: 1))
                #expect(owner["name"] as? String == "Ann")
                #expect((owner["pet"] as? DynamicPet)?["age"] as? Int == 3)
                owner["name"] = "Bob"
                owner["pet"] = nil
                #expect(owner.name == "Bob" && owner.pet == nil)
                #expect(throws: RealmError.self) { try owner.value(forName: "nothing") }
                #expect(throws: RealmError.self) { try owner.setValue("x", forName: "nothing") }
                #expect(throws: RealmError.self) { try owner.setValue(["x"], forName: "name") }
                #expect(owner.name == "Bob")
            }
        }
    }

    @Test("Q19: objects of a class known by its name are read")
    func objectsOfAClassKnownByNameAreRead() async throws {
        try await DynamicFixture.withOwner { realm in
            let owners = try realm.dynamicObjects("DynamicOwner")
            let owner = try #require(owners.first)
            #expect(try owners.count == 1 && owner["name"] == "Ann")
            #expect(owner.className == "DynamicOwner")
            guard case .object(let pet) = try owner["pet"], case .list(let pets) = try owner["pets"]
            else {
                Issue.record("no links")
                return
            }
            #expect(try pet["age"] == 3)
            #expect(pets.count == 2 && owner.description.contains("full_name") == false)
            #expect(try owner["tags"] == .list(["a", "b"]))
            #expect(try owner["collar"] == .dictionary(["color": "blue"]))
            #expect(throws: RealmError.self) { try owner["nothing"] }
            #expect(throws: RealmError.self) { try realm.dynamicObjects("Nothing") }
            #expect(try realm.dynamicObject(ofType: "DynamicOwner", forPrimaryKey: 1) == owner)
            #expect(try realm.dynamicObject(ofType: "DynamicOwner", forPrimaryKey: 2) == nil)
            #expect(throws: RealmError.self) {
                try realm.dynamicObject(ofType: "DynamicPet", forPrimaryKey: 1)
            }
            let sorted = try realm.dynamicObjects("DynamicPet")
                .sorted(by: [SortDescriptor(keyPath: "name", ascending: false)])
            #expect(try sorted.map { try $0["name"] } == ["Tom", "Rex", "Kit"])
            let data = try JSONEncoder().encode(sorted[1])
            #expect(String(decoding: data, as: UTF8.self).contains(#""name":"Rex""#))
            // The inverse of a list, by its name.
            guard case .list(let origins) = try sorted[0]["owners"] else {
                Issue.record("no inverse")
                return
            }
            #expect(origins.count == 1)
        }
    }

    /// Embedded objects that nested deeper than 16 levels were nil.
    @Test func embeddedObjectsAreReadHoweverDeepTheyAre() async throws {
        let depth = 100
        try await withFreshRealm([Kernel.self, Shell.self]) { realm in
            try await realm.write { tx in
                let kernel = Kernel()
                for level in (0..<depth).reversed() {
                    let shell = Shell()
                    shell.level = level
                    shell.inner = kernel.shell
                    kernel.shell = shell
                }
                try tx.add(kernel)
            }
            let kernel = try #require(try realm.dynamicObjects("Kernel").first)
            var value = try kernel["shell"]
            for level in 0..<depth {
                if case .dictionary(let shell) = value {
                    #expect(shell["level"] == .int(level))
                    value = shell["inner"] ?? FrozenValue.none
                } else if case .object(let shell) = value {
                    #expect(try shell["level"] == .int(level))
                    value = try shell["inner"]
                } else {
                    Issue.record("no object at level \(level)")
                }
            }
            #expect(value == FrozenValue.none)
        }
    }

    /// An object of another class was found where the row with its number is.
    @Test func objectsOfAnotherClassHaveNoPosition() async throws {
        try await DynamicFixture.withOwner { realm in
            let owners = try realm.dynamicObjects("DynamicOwner")
            let pets = try realm.dynamicObjects("DynamicPet")
            #expect(pets.indices.allSatisfy { pets.index(of: pets[$0]) == $0 })
            #expect(owners.index(of: owners[0]) == 0)
            #expect(pets.allSatisfy { owners.index(of: $0) == nil })
            let sections = owners.sectioned(by: { $0["id"] as? Int ?? 0 })
            #expect(sections[0].index(of: owners[0]) == 0)
            #expect(pets.allSatisfy { sections[0].index(of: $0) == nil })
            try await realm.write { tx in
                let owners = try tx.dynamicObjects("DynamicOwner")
                let pets = try tx.dynamicObjects("DynamicPet")
                let sections = owners.sectioned(by: { $0["id"] as? Int ?? 0 })
                #expect(owners.index(of: owners[0]) == 0 && pets.index(of: pets[2]) == 2)
                #expect(sections[0].index(of: owners[0]) == 0)
                for pet in pets {
                    #expect(owners.index(of: pet) == nil && sections[0].index(of: pet) == nil)
                }
            }
        }
    }

    @Test("Q19: dynamicCreate makes and updates whole graphs")
    func dynamicCreateMakesAndUpdatesWholeGraphs() async throws {
        try await DynamicFixture.withOwner { realm in
            try await realm.write { tx in
                let value: [String: Any] = [
                    "id": 2, "pet": ["age": 5], "pets": [["name": "Zoe"]],
                    "byName": ["z": ["name": "Zed"], "none": NSNull()] as [String: Any],
                    "collar": ["color": "green"], "any": [1, "two"],
                ]
                let owner = try tx.dynamicCreate("DynamicOwner", value: value)
                #expect(owner.name as? String == "nobody" && owner["id"] as? Int == 2)
                #expect((owner["pet"] as? DynamicObject)?["name"] as? String == "pet")
                let pets = try owner.dynamicList("pets")
                #expect(pets.count == 1 && pets[0]["name"] as? String == "Zoe")
                #expect(throws: RealmError.self) { try owner.dynamicList("tags") }
                #expect(try owner.dynamicMap("byName").count == 2)
                pets.append(try #require(owner["pet"] as? DynamicObject))
                owner["name"] = "Cyn"
                // A typed object and a dynamic one of the same row take each other's place.
                let ann = try #require(tx.object(DynamicOwner.self, forPrimaryKey: 1))
                owner["pet"] = ann.pet
                #expect((owner["pet"] as? DynamicObject)?["name"] as? String == "Rex")
                #expect((owner["pet"] as? DynamicObject)?.isSameObject(as: ann.pet) == true)
            }
            let typed = try #require(realm.object(DynamicOwner.self, forPrimaryKey: 2))
            #expect(typed.name == "Cyn" && typed.pet?.name == "Rex" && typed.pets.count == 2)
            #expect(typed.byName["z"]??.name == "Zed" && typed.byName["none"] == .some(nil))
            #expect(typed.collar?.color == "green" && typed.any == .list([1, "two"]))
            try await realm.write { tx in
                let values: [String: Any] = ["id": 2, "name": "Dan"]
                try tx.dynamicCreate("DynamicOwner", value: values, update: .modified)
            }
            let updated = try #require(realm.object(DynamicOwner.self, forPrimaryKey: 2))
            #expect(updated.name == "Dan" && updated.pets.count == 2)
            #expect(try await realm.verify().isIntact)
        }
    }

    /// Such properties began empty, and with nil.
    @Test("Q19, M7: absent collections, links and values of any type have the class's defaults")
    func absentPropertiesHaveTheDefaultsOfTheClass() async throws {
        try await withFreshRealm(DynamicFixture.models + [Den.self]) { realm in
            try await realm.write { tx in
                let den = try tx.dynamicCreate("Den")
                #expect((den["pet"] as? DynamicObject)?["name"] as? String == "pet")
                let values: [String: Any] = [
                    "tags": ["x"], "numbers": [3], "byName": ["two": 2], "pet": NSNull(),
                    "collar": ["color": "blue"], "any": "given",
                ]
                try tx.dynamicCreate("Den", value: values)
                try tx.create(Den.self)
            }
            let dens = realm.objects(Den.self)
            #expect(dens.map { Array($0.tags) } == [["new"], ["x"], ["new"]])
            #expect(dens.map { Set($0.numbers) } == [[1, 2], [3], [1, 2]])
            #expect(dens.map { $0.byName.keys } == [["one"], ["two"], ["one"]])
            #expect(dens.map { $0.pet?.name } == ["pet", nil, "pet"])
            #expect(dens.map { $0.collar?.color } == ["red", "blue", "red"])
            #expect(dens.map { $0.any } == [.int(5), .string("given"), .int(5)])
            #expect(realm.objects(DynamicPet.self).count == 2)
            #expect(try realm.dynamicObjects("DynamicCollar").count == 3)
            #expect(try await realm.verify().isIntact)
        }
    }

    /// Was refused: another object had the primary key of the default.
    @Test("Q19, M7: a default that has a primary key is updated where the object is, as of a class")
    func defaultsWithAPrimaryKey() async throws {
        try await withFreshRealm(DynamicFixture.models + [Shed.self]) { realm in
            try await realm.write { tx in
                for id in 1...2 {
                    try tx.dynamicCreate("Shed", value: ["id": id], update: .modified)
                }
                try tx.create(Shed.self, value: ["id": 3], update: .modified)
                #expect(throws: RealmError.self) { try tx.dynamicCreate("Shed", value: ["id": 4]) }
            }
            let sheds = realm.objects(Shed.self)
            #expect(sheds.map(\.id) == [1, 2, 3] && sheds.map { $0.keeper?.id } == [0, 0, 0])
            #expect(realm.objects(DynamicOwner.self).count == 1)
            #expect(try await realm.verify().isIntact)
        }
    }

    @Test func dynamicCreateRefusesWhatCreateRefuses() async throws {
        try await DynamicFixture.withOwner { realm in
            func fails(
                _ name: String, _ value: [String: any Sendable], _ update: UpdatePolicy = .error
            ) async -> String {
                do {
                    try await realm.write { tx in
                        try tx.dynamicCreate(name, value: value, update: update)
                        return
                    }
                    return "nothing thrown"
                } catch {
                    return "\(error)"
                }
            }
            #expect(await fails("DynamicCollar", [:]).contains("cannot be created directly"))
            #expect(await fails("DynamicOwner", ["id": 1]).contains("with primary key 1 exists"))
            let present = "It has: DynamicCollar, DynamicOwner, DynamicPet"
            #expect(await fails("Nothing", [:]).contains(present))
            let unnamed = await fails("DynamicOwner", ["name": 3, "id": 7])
            #expect(unnamed.contains("'DynamicOwner.name'"))
            let ageless = await fails("DynamicOwner", ["pet": ["age": "x"], "id": 7])
            #expect(ageless.contains("'DynamicPet.age'"))
            #expect(await fails("DynamicPet", [:], .all).contains("has no primary key"))
            #expect(realm.objects(DynamicOwner.self).count == 1)
        }
    }

    @Test func dynamicObjectsAreDeletedObservedAndResolved() async throws {
        try await DynamicFixture.withOwner { realm in
            let frozen = try #require(try realm.dynamicObjects("DynamicOwner").first)
            let changes = frozen.changes()
            var iterator = changes.makeAsyncIterator()
            try await realm.write { tx in
                let owner = try #require(tx.resolve(frozen))
                owner["name"] = "Eve"
            }
            guard case .change(let owner, let properties)? = try await iterator.next() else {
                Issue.record("no change")
                return
            }
            #expect(try owner["name"] == "Eve" && properties.map(\.name) == ["name"])
            try await realm.write { tx in try tx.delete(try tx.dynamicObjects("DynamicOwner")) }
            guard case .deleted? = try await iterator.next() else {
                Issue.record("not deleted")
                return
            }
            #expect(realm.objects(DynamicOwner.self).isEmpty && realm.resolve(frozen) == nil)
            // The embedded object went along.
            #expect(try realm.dynamicObjects("DynamicCollar").isEmpty)
        }
    }

    @Test("M16, D20: classes beyond objectTypes keep their data and are read by column names")
    func classesBeyondObjectTypesKeepTheirDataAndAreReadByColumnNames() async throws {
        try await withStorePath { path in
            let realm = try await Realm.open(.init(path: path, objectTypes: DynamicFixture.models))
            try await realm.write { tx in
                try tx.create(DynamicOwner.self, value: ["name": "Ann", "pets": [["name": "Tom"]]])
                return
            }
            try await realm.close()
            let other = try await Realm.open(.init(path: path, objectTypes: [Stranger.self]))
            let owner = try #require(try other.dynamicObjects("DynamicOwner").first)
            #expect(try owner["full_name"] == "Ann")
            guard case .list(let pets) = try owner["pets"], case .object(let pet)? = pets.first
            else {
                Issue.record("no pets")
                return
            }
            #expect(try pet["name"] == "Tom")
            try await other.write { tx in
                let owner = try #require(try tx.dynamicObjects("DynamicOwner").first)
                owner["full_name"] = "Bob"
                try owner.dynamicList("pets").append(try tx.dynamicCreate("DynamicPet"))
                try tx.dynamicCreate("DynamicOwner", value: ["id": 9])
            }
            try await other.close()
            let again = try await Realm.open(.init(path: path, objectTypes: DynamicFixture.models))
            #expect(again.objects(DynamicOwner.self).map(\.name) == ["Bob", ""])
            // Without the Swift class a row begins with the zeros of its types.
            #expect(again.objects(DynamicOwner.self).first?.pets.map(\.name) == ["Tom", ""])
            #expect(try await again.verify().isIntact)
            try await again.close()
        }
    }
}
