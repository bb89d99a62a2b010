import Foundation
import RealmActors
import Testing

/// Creating, adding and deleting.
@Suite struct CreationTests {
    @Test("V1: defaults apply to unmanaged objects")
    func defaultsApplyToUnmanagedObjects() {
        let dog = Dog()
        #expect(dog.name == "" && dog.age == 0 && dog.owner == nil && dog.realm == nil)
        #expect(dog.people.isEmpty)
        let person = Person()
        #expect(person.id == person.id && person.id != Person().id)
        #expect(person.mood == .calm && Everything().mood == .calm && Everything().rank == .high)
    }

    @Test("V2: values come from dictionaries, arrays and objects")
    func valuesComeFromDictionariesArraysAndObjects() throws {
        let dog = try Dog(value: ["name": "Rex", "age": 3, "unknown": 1])
        #expect(dog.name == "Rex" && dog.age == 3)
        let other = try Dog(value: ["Max", 4, NSNull()])
        #expect(other.name == "Max" && other.age == 4 && other.owner == nil)
        let person = try Person(value: ["name": "Ada", "dogs": [dog, ["name": "Bit"]]])
        #expect(person.dogs.map(\.name) == ["Rex", "Bit"] && person.dogs[0] === dog)
        let shallow = try Person(value: person)
        #expect(shallow.dogs[0] === dog && shallow.id == person.id)
    }

    @Test("V3, D2: an array has one value per property")
    func arraysHaveOneValuePerProperty() {
        #expect(throws: RealmError.self) { try Dog(value: ["Rex"]) }
        #expect(throws: RealmError.self) { try Dog(value: ["Rex", 1, NSNull(), 2]) }
        #expect((try? Cat(value: [3, 7]))?.legs == 3)
    }

    @Test("V5: values are validated")
    func valuesAreValidated() throws {
        #expect(throws: RealmError.self) { try Dog(value: ["age": 1.1]) }
        #expect(throws: RealmError.self) { try Dog(value: ["age": "1"]) }
        #expect(throws: RealmError.self) { try Dog(value: ["name": 1]) }
        #expect(throws: RealmError.self) { try Dog(value: ["name": NSNull()]) }
        #expect(throws: RealmError.self) { try Everything(value: ["bool": 2]) }
        #expect(throws: RealmError.self) { try Everything(value: ["bool": 1.0]) }
        #expect(throws: RealmError.self) {
            try Everything(value: ["float": Double.greatestFiniteMagnitude])
        }
        #expect(throws: RealmError.self) { try Everything(value: ["int8": 128]) }
        #expect(throws: RealmError.self) { try Dog(value: NSNull()) }
        #expect(throws: RealmError.self) { try Dog(value: "Rex") }
        #expect(try Everything(value: ["bool": 1]).bool)
        #expect(try Everything(value: ["optionalInt": NSNumber(value: 4)]).optionalInt == 4)
        do {
            _ = try Dog(value: ["age": "old"])
        } catch {
            let text = "\(error)"
            #expect(text.contains("Dog.age") && text.contains("Int") && text.contains("old"))
        }
    }

    /// Blanks and signs stood in place of digits, something stood behind a date, and the 31st of
    /// February was the 3rd of March.
    @Test("V5: a text is a date or a UUID when it is exactly one")
    func textsOfDatesAndUUIDs() throws {
        let uuid = "621e1f8c-c36c-495a-93fc-0c247a3e6e5f"
        #expect(try Everything(value: ["uuid": uuid]).uuid == UUID(uuidString: uuid))
        for text in [
            " 21e1f8c-c36c-495a-93fc-0c247a3e6e5f", "+21e1f8c-c36c-495a-93fc-0c247a3e6e5f",
            "621e1f8cc36c495a93fc0c247a3e6e5f", uuid + "\0", uuid + "0", "",
        ] {
            #expect(throws: RealmError.self) { try Everything(value: ["uuid": text]) }
        }
        let noon = Date(timeIntervalSince1970: 1_709_208_000)
        for text in [
            "2024-02-29T12:00:00Z", "2024-02-29T13:00:00+01:00", "2024-02-29T12:00:00.000Z",
        ] {
            #expect(try Everything(value: ["date": text]).date == noon, "\(text)")
        }
        for text in [
            "2024-02-29T12:00:00Z!", "2024-02-31T12:00:00Z", "2023-02-29T12:00:00Z",
            "2024-13-01T12:00:00Z", "2024-02-29T25:00:00Z", "2024-02-29", "noon", "",
        ] {
            #expect(throws: RealmError.self, "\(text)") { try Everything(value: ["date": text]) }
        }
    }

    @Test func jsonIsAValue() throws {
        let text = #"{"name": "Max", "age": 4, "owner": {"name": "Ada", "mood": "playful"}}"#
        let json = try JSONSerialization.jsonObject(with: Data(text.utf8))
        let dog = try Dog(value: json)
        #expect(dog.age == 4 && dog.owner?.mood == .playful)
        let flags = try JSONSerialization.jsonObject(
            with: Data(#"{"bool": true, "double": 1, "optionalInt": null, "any": 2.5}"#.utf8))
        let everything = try Everything(value: flags)
        #expect(everything.bool && everything.double == 1 && everything.any == .double(2.5))
    }

    @Test("A1: adding adopts the whole graph")
    func addAdoptsTheWholeGraph() async throws {
        let realm = try await freshRealm()
        let frozen = try await realm.write { tx in
            let person = try Person(value: ["name": "Ada"])
            for age in 1...3 {
                person.dogs.append(
                    try Dog(
                        value: ["name": "d\(age)", "age": age, "owner": person] as [String: Any]))
            }
            let kept = person.dogs
            try tx.add(person)
            #expect(person.realm != nil && kept.count == 3)
            kept.append(try Dog(value: ["name": "late", "age": 9]))
            #expect(person.dogs.count == 4 && person.dogs[3].name == "late")
            return person.freeze()
        }
        #expect(frozen.dogs.map(\.age) == [1, 2, 3, 9])
        #expect(frozen.dogs[1].owner == frozen)
        #expect(frozen.dogs[0].people.map(\.name) == ["Ada"])
        #expect(realm.objects(Dog.self).count == 4 && realm.objects(Person.self).count == 1)
    }

    @Test("A1: long chains need no stack")
    func longChainsNeedNoStack() async throws {
        let realm = try await freshRealm()
        try await realm.write { tx in
            var last: Everything?
            for key in 0..<20_000 {
                let next = try Everything(value: ["key": key])
                next.link = last
                last = next
            }
            try tx.add(#require(last))
        }
        #expect(realm.objects(Everything.self).count == 20_000)
    }

    /// What came after the cancellation was part of the next transaction.
    @Test("T5: nothing is added or deleted once what gives the objects has cancelled")
    func cancelledMeanwhile() async throws {
        let realm = try await freshRealm()
        let kept = try await realm.write { tx in
            try tx.create(Dog.self, value: ["name": "kept"]).freeze()
        }
        try await realm.write { tx in
            let dogs = (0..<3).lazy.map { number -> Dog in
                if number == 1 { tx.cancel() }
                return Dog()
            }
            #expect(throws: RealmError.self) { try tx.add(dogs) }
        }
        try await realm.write { tx in
            let dogs = [kept].lazy.map { dog -> Frozen<Dog> in
                tx.cancel()
                return dog
            }
            #expect(throws: RealmError.self) { try tx.delete(dogs) }
        }
        try await realm.write { tx in _ = try tx.create(Cat.self) }
        #expect(realm.objects(Dog.self).map(\.name) == ["kept"])
    }

    @Test("V13: a duplicate key throws")
    func duplicateKeysThrow() async throws {
        let realm = try await freshRealm()
        await #expect(throws: RealmError.self) {
            try await realm.write { tx in
                try tx.add(Everything(value: ["key": 1]))
                try tx.add(Everything(value: ["key": 1]))
            }
        }
        #expect(realm.objects(Everything.self).isEmpty)
    }

    @Test("V9: partial updates touch what is given")
    func partialUpdatesTouchWhatIsGiven() async throws {
        let realm = try await freshRealm()
        try await realm.write { tx in
            try tx.add(Everything(value: ["key": 1, "string": "a", "integers": [1, 2]]))
            let same = try tx.create(
                Everything.self, value: ["key": 1, "int8": 5], update: .modified)
            #expect(same.string == "a" && same.int8 == 5 && same.integers.count == 2)
            _ = try tx.create(
                Everything.self, value: ["key": 1, "integers": [7]] as [String: Any], update: .all)
        }
        let frozen = try #require(realm.object(Everything.self, forPrimaryKey: 1))
        #expect(Array(frozen.integers) == [7] && frozen.string == "a")
    }

    @Test("A4: adding with an update overwrites")
    func addingWithUpdateOverwrites() async throws {
        let realm = try await freshRealm()
        try await realm.write { tx in
            try tx.add(Everything(value: ["key": 1, "string": "a", "integers": [1, 2]]))
            try tx.add(Everything(value: ["key": 1, "int8": 3]), update: .all)
        }
        let frozen = try #require(realm.object(Everything.self, forPrimaryKey: 1))
        #expect(frozen.string == "" && frozen.int8 == 3 && frozen.integers.isEmpty)
        #expect(realm.objects(Everything.self).count == 1)
        await #expect(throws: RealmError.self) {
            try await realm.write { tx in try tx.add(Dog(), update: .all) }
        }
    }

    @Test("V6: create copies what it is given")
    func createCopiesWhatItIsGiven() async throws {
        let realm = try await freshRealm()
        try await realm.write { tx in
            let dog = try Dog(value: ["name": "Rex"])
            let person = try tx.create(
                Person.self, value: ["name": "Ada", "dogs": [dog]] as [String: Any])
            #expect(dog.realm == nil && person.dogs[0].name == "Rex" && person.dogs[0] !== dog)
        }
        #expect(realm.objects(Dog.self).count == 1)
    }

    @Test("A5: deleting nullifies links")
    func deletingNullifiesLinks() async throws {
        let realm = try await freshRealm()
        try await realm.write { tx in
            let person = try Person(value: ["name": "Ada", "address": ["city": "Bern"]])
            let dog = try Dog(value: ["name": "Rex"])
            dog.owner = person
            person.dogs.append(dog)
            person.dogs.append(dog)
            try tx.add(person)
            let address = try #require(person.address)
            try tx.delete(person)
            #expect(dog.owner == nil && person.isInvalidated && person.name == "Ada")
            #expect(address.isInvalidated && dog.people.isEmpty)
            #expect(throws: RealmError.self) { try tx.delete(person) }
            #expect(throws: RealmError.self) { try tx.delete(Dog()) }
        }
        #expect(realm.objects(Dog.self).map(\.name) == ["Rex"])
    }

    @Test("D21: setting a property of a deleted object fails the write")
    func settingAGoneObjectFailsTheWrite() async throws {
        let realm = try await freshRealm()
        await #expect(throws: RealmError.self) {
            try await realm.write { tx in
                let dog = try tx.create(Dog.self, value: ["name": "Rex"])
                try tx.delete(dog)
                dog.name = "Max"
                #expect(dog.name == "Rex")
            }
        }
        #expect(realm.objects(Dog.self).isEmpty)
    }
}
