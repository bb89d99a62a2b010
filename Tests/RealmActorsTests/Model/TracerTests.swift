import Testing

@testable import RealmActors

@Suite struct TracerTests {
    private func text<Root: ObjectBase>(_ keyPath: PartialKeyPath<Root>) -> String {
        Tracer.text(Tracer.path(of: keyPath))
    }

    @Test func keyPathsCrossLinksAndLists() {
        #expect(text(\Dog.age) == "age")
        #expect(text(\Dog.owner) == "owner")
        #expect(text(\Dog.owner?.name) == "owner.name")
        #expect(text(\Dog.owner?.address?.city) == "owner.address.city")
        #expect(text(\Person.dogs) == "dogs")
        #expect(text(\Person.dogs.name) == "dogs.name")
        #expect(text(\Person.mood) == "mood")
        #expect(text(\Person.birthday) == "birthday")
        #expect(text(\Person.nicknames) == "nicknames")
        #expect(text(\Person.notes) == "notes")
        #expect(text(\Dog.people) == "people")
        #expect(text(\Person.dogs[3].name) == "dogs.name")
        #expect(text(\Person.dogs[3].owner?.dogs[1].age) == "dogs.owner.dogs.age")
        #expect(text(\Dog.people[3].dogs[1].age) == "people.dogs.age")
        #expect(text(\Person.nicknames[3]) == "nicknames")
        #expect(text(\Person.notes["k"]) == "notes")
    }

    @Test func whatIsNotPersistedHasNoSteps() {
        #expect(text(\Person.visits) == "")
    }
}
