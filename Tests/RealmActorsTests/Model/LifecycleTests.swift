import Foundation
import Observation
import RealmActors
import Storage
import Synchronization
import Testing

/// Objects from creation to deletion.
@Suite struct LifecycleTests {
    @Test("D1: objects of a cancelled write stay invalidated")
    @MainActor func objectsOfACancelledWriteStayInvalidated() async throws {
        struct Refusal: Error {}
        let realm = try await freshRealm()
        let live = try await realm.live()
        let kept = try await live.write { try live.create(Dog.self, value: ["name": "Max"]) }
        var added: Dog?
        await #expect(throws: Refusal.self) {
            try await live.write {
                added = try live.create(Dog.self, value: ["name": "Rex", "age": 1])
                try live.delete(kept)
                throw Refusal()
            }
        }
        #expect(added?.isInvalidated == true && added?.realm == nil)
        #expect(kept.isInvalidated && kept.name == "Max")
        #expect(realm.objects(Dog.self).count == 1)
    }

    @Test("D21: a deleted object keeps its last values")
    @MainActor func aGoneObjectKeepsItsLastValues() async throws {
        let realm = try await freshRealm()
        let frozen = try await realm.write { tx in
            let dog = try tx.create(
                Dog.self, value: ["name": "Rex", "owner": ["name": "Ada"]] as [String: Any])
            dog.owner?.dogs.append(dog)
            return dog.freeze()
        }
        let live = try await realm.live()
        let dog = try #require(live.resolve(frozen))
        #expect(dog.name == "Rex" && !dog.isInvalidated)
        try await realm.write { tx in try tx.deleteAll(Dog.self) }
        live.refresh()
        #expect(dog.isInvalidated && dog.name == "Rex")
        await #expect(throws: RealmError.self) { try await live.write { dog.name = "Max" } }
        #expect(dog.name == "Rex" && dog.description == "[invalid object]")
    }

    @Test("D8: freezing inside a write shows its state")
    func freezeInsideAWriteShowsItsState() async throws {
        let realm = try await freshRealm()
        let versions = try await realm.write { tx in
            let dog = try tx.create(Dog.self, value: ["name": "Rex"])
            let first = dog.freeze()
            dog.name = "Max"
            return [first, dog.freeze()]
        }
        #expect(versions.map(\.name) == ["Rex", "Max"])
    }

    @Test("L3: a description names the properties")
    func descriptionNamesProperties() throws {
        let person = try Person(value: ["name": "Ada", "dogs": [["name": "Rex"]]])
        person.dogs[0].owner = person
        let text = person.description
        #expect(text.contains("name = Ada") && text.contains("dogs = [Dog(name: \"Rex\""))
        #expect(person.dogs[0].description.contains("owner = Person(id: "))
        let data = try Everything(value: ["data": Data([1, 2])])
        #expect(data.description.contains("data = 2 total bytes"))
    }

    @Test("L4: equality looks at rows only where it may")
    func equalityLooksAtRowsOnlyWhereItMay() async throws {
        let realm = try await freshRealm()
        #expect(Dog() != Dog())
        let (first, second) = try await realm.write { tx in
            let object = try tx.create(Everything.self, value: ["key": 1])
            let again = tx.object(Everything.self, forPrimaryKey: 1)
            #expect(object == again && object !== again && object.isSameObject(as: again))
            return (object.freeze(), object.freeze())
        }
        #expect(first == second && Set([first, second]).count == 1)
        try await realm.write { tx in _ = try tx.create(Dog.self) }
        #expect(realm.object(Everything.self, forPrimaryKey: 1) != first)
    }

    @Test("L5: properties are reached by name")
    func propertiesAreReachedByName() throws {
        let dog = try Dog(value: ["name": "Rex", "age": 3])
        #expect(dog["name"] as? String == "Rex" && dog["owner"] == nil)
        dog["age"] = 4
        #expect(dog.age == 4)
        #expect(throws: RealmError.self) { try dog.value(forName: "nose") }
        #expect(throws: RealmError.self) { try dog.setValue("x", forName: "age") }
        try dog.setValue(5, forKey: "age")
        #expect(try dog.value(forKey: "age") as? Int == 5)
        #expect(throws: RealmError.self) { try dog.value(forKey: "nose") }
    }

    @Test func modelsMayDeclareTheLibrarysNames() async throws {
        let realm = try await freshRealm()
        let frozen = try await realm.write { tx in
            let document = try tx.create(Document.self)
            #expect(document.version == 1 && document.realm == "domain")
            return document.freeze()
        }
        #expect(frozen[\.version] == 1 && frozen[\.realm] == "domain")
        #expect(frozen[\.description] == "text" && frozen.id == frozen.reference)
    }

    @Test("T11: references survive coding")
    func referencesSurviveCoding() async throws {
        let realm = try await freshRealm()
        let reference = try await realm.write { tx in try tx.create(Dog.self).freeze() }.reference
        let copy = try JSONDecoder().decode(
            ObjectReference<Dog>.self, from: JSONEncoder().encode(reference))
        #expect(copy == reference && Set([copy, reference]).count == 1)
    }

    @Test @MainActor func liveObjectsTakePartInObservation() async throws {
        let realm = try await freshRealm()
        let live = try await realm.live()
        let (first, second) = try await live.write {
            (
                try live.create(Dog.self, value: ["name": "a"]),
                try live.create(Dog.self, value: ["name": "b"])
            )
        }
        let fired = Mutex(0)
        withObservationTracking {
            _ = first.name
        } onChange: {
            fired.withLock { $0 += 1 }
        }
        try await live.write {
            second.name = "c"
            first.age = 2
        }
        #expect(fired.withLock { $0 } == 0)
        try await live.write { first.name = "d" }
        #expect(fired.withLock { $0 } == 1)
        try await live.write { first.name = "e" }
        #expect(fired.withLock { $0 } == 1)
    }
}
