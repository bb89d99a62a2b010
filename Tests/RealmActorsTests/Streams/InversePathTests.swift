import Testing

@testable import RealmActors
@testable import Storage

private final class Terminal: Object {
    @Persisted(originProperty: "end") var wires: LinkingObjects<Wire>
}

private final class Wire: Object {
    @Persisted var name: String = ""
    @Persisted var end: Terminal?
}

/// Key paths across inverses of lists, and to classes that have nothing but inverses.
@Suite struct InversePathTests {
    /// Each dog of the list was reported, also those that stayed in it.
    @Test("N17: of a list, an inverse reports what came, went, and was replaced")
    func inverseOfAList() async throws {
        let world = try await RowWorld()
        try await world.edit { owner, dogs in owner.employees.append(objectsIn: dogs[..<2]) }
        let dogs = world.realm.objects(RowDog.self)
        let firms = try dogs.changes(keyPaths: ["firms"]).probe()
        try await world.edit { owner, dogs in owner.employees.append(dogs[2]) }
        #expect(try firms.nextSummary() == "-[] +[] ~[2]")
        try await world.edit { owner, _ in owner.employees.remove(at: 0) }
        #expect(try firms.nextSummary() == "-[] +[] ~[0]")
        try await world.edit { owner, dogs in owner.employees[0] = dogs[0] }
        #expect(try firms.nextSummary() == "-[] +[] ~[0, 1]")
        try await world.edit { owner, dogs in owner.employees.insert(dogs[1], at: 0) }
        try await world.edit { owner, _ in owner.employees.remove(at: 2) }
        #expect(try firms.nextSummary() == "-[] +[] ~[1, 2]")
        try await world.delete(dog: 1)
        #expect(try firms.nextSummary() == "-[1] +[] ~[]")
        let names = try dogs.changes(keyPaths: ["firms.name"]).probe()
        try await world.edit { owner, _ in owner.name = "x" }
        #expect(try names.nextSummary() == "-[] +[] ~[0]")
        #expect(try firms.nextSummary() == "")
    }

    /// Each dog of the list was reported, also those that stayed in it.
    @Test("N17: of a list whose edits are unknown, an inverse reports the same")
    func inverseOfAListWithUnknownEdits() async throws {
        let world = try await RowWorld()
        try await world.edit { owner, dogs in owner.employees.append(objectsIn: dogs[..<2]) }
        let dogs = world.realm.objects(RowDog.self)
        var firms = dogs.changes(keyPaths: ["firms"]).producer
        let before = world.realm.snapshot()
        _ = try firms.produce(MergedMarks(), at: before)
        try await world.edit { owner, dogs in
            owner.employees.append(dogs[2])
            owner.employees.remove(at: 0)
        }
        let present = world.realm.snapshot()
        var marks = MergedMarks()
        marks.add(CommitChanges(from: before.root, to: present.root).changeSet().classes)
        guard case .element(let change) = try firms.produce(marks, at: present) else {
            Issue.record("expected a change")
            return
        }
        #expect(summary(change) == "-[] +[] ~[0, 2]")
    }

    /// The link was left out, as if the class that it leads to had nothing to be watched.
    @Test("N29: two wildcards stand for a link to a class that has inverses only, too")
    func wildcardsToInverses() async throws {
        let realm = try await freshRealm([Terminal.self, Wire.self])
        try await realm.write { tx in _ = try (tx.create(Terminal.self), tx.create(Wire.self)) }
        let wires = try realm.objects(Wire.self).changes(keyPaths: ["*.*"]).probe()
        try await realm.write { tx in
            tx.objects(Wire.self)[0].end = tx.objects(Terminal.self)[0]
        }
        #expect(try wires.nextSummary() == "-[] +[] ~[0]")
        try await realm.close()
    }
}
