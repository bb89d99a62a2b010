import Testing

@testable import RealmActors

/// What streams of lists, sets and maps deliver where several things are done in one transaction,
/// or in several before the stream looks.
@Suite struct ListCaseTests {
    /// A world whose owner employs the three dogs.
    private func staffed() async throws -> RowWorld {
        let world = try await RowWorld()
        try await world.edit { owner, dogs in
            for (age, dog) in dogs.enumerated() { dog.age = age }
            owner.employees.append(objectsIn: dogs)
        }
        return world
    }

    @Test("N22: what is modified and moved is a deletion and an insertion only")
    func modifiedAndMoved() async throws {
        let world = try await staffed()
        let probe = try world.owner.employees.changes().probe()
        try await world.edit { owner, dogs in
            dogs[0].name = "x"
            owner.employees.move(from: 0, to: 2)
        }
        #expect(try probe.nextSummary() == "-[0] +[2] ~[]")
    }

    @Test("N12: an object that is in a list several times is reported at each position")
    func severalPlaces() async throws {
        let world = try await staffed()
        try await world.edit { owner, dogs in owner.employees.append(dogs[2]) }
        let probe = try world.owner.employees.changes().probe()
        try await world.edit { _, dogs in dogs[2].name = "x" }
        #expect(try probe.nextSummary() == "-[] +[] ~[2, 3]")
        try await world.delete(dog: 2)
        #expect(try probe.nextSummary() == "-[2, 3] +[] ~[]")
    }

    @Test("N22: an object that is added and modified is modified where it stood before")
    func addedAndModified() async throws {
        let world = try await staffed()
        let probe = try world.owner.employees.changes().probe()
        try await world.edit { owner, dogs in
            owner.employees.append(dogs[2])
            dogs[2].name = "x"
        }
        #expect(try probe.nextSummary() == "-[] +[3] ~[2]")
    }

    @Test("N22: clearing a list and appending what it held replaces every element")
    func clearedAndFilled() async throws {
        let world = try await staffed()
        try await world.edit { owner, _ in owner.numbers.append(objectsIn: [1, 1]) }
        let dogs = try world.owner.employees.changes().probe()
        let numbers = try world.owner.numbers.changes().probe()
        try await world.edit { owner, dogs in
            owner.employees.removeAll()
            owner.employees.append(objectsIn: dogs)
            owner.numbers.removeAll()
            owner.numbers.append(objectsIn: [1, 1])
        }
        #expect(try dogs.nextSummary() == "-[0, 1, 2] +[0, 1, 2] ~[]")
        #expect(try numbers.nextSummary() == "-[0, 1] +[0, 1] ~[]")
    }

    @Test("N10: what one transaction adds and the next one removes is nothing")
    func addedAndRemoved() async throws {
        let world = try await staffed()
        let probe = try world.owner.employees.changes().probe()
        try await world.edit { owner, dogs in owner.employees.insert(dogs[0], at: 1) }
        try await world.edit { owner, _ in owner.employees.remove(at: 1) }
        #expect(try probe.nextSummary() == "")
    }

    @Test("N22: a deletion and a modification in one transaction")
    func deletedAndModified() async throws {
        let world = try await staffed()
        let ages = try world.owner.employees.changes(keyPaths: ["age"]).probe()
        let deep = try world.owner.employees.changes().probe()
        try await world.realm.write { tx in
            tx.object(RowDog.self, forPrimaryKey: 2)?.age = 7
            try tx.delete(#require(tx.object(RowDog.self, forPrimaryKey: 1)))
        }
        #expect(try ages.nextSummary() == "-[1] +[] ~[2]")
        // The first one has lost its friend.
        #expect(try deep.nextSummary() == "-[1] +[] ~[0, 2]")
    }

    @Test("N4, N9: an object that is made again under its key is another one")
    func madeAgain() async throws {
        let world = try await staffed()
        let dogs = world.realm.objects(RowDog.self)
        let all = try dogs.changes().probe()
        let sorted = try dogs.sorted(by: \.id).changes().probe()
        let list = try world.owner.employees.changes().probe()
        let object = try world.dog(2).changes().probe()
        try await world.realm.write { tx in
            try tx.delete(#require(tx.object(RowDog.self, forPrimaryKey: 2)))
            try tx.create(RowDog.self, value: ["id": 2])
        }
        #expect(try all.nextSummary() == "-[2] +[2] ~[]")
        #expect(try sorted.nextSummary() == "-[2] +[2] ~[]")
        #expect(try list.nextSummary() == "-[2] +[] ~[]")
        #expect(try object.nextSummary() == "deleted")
    }

    @Test("N9: two streams of one list report the changes since each of them began")
    func twoStreams() async throws {
        let world = try await RowWorld()
        let first = try world.owner.employees.changes().probe()
        try await world.edit { owner, dogs in owner.employees.append(dogs[0]) }
        let second = try world.owner.employees.changes().probe()
        try await world.edit { owner, dogs in owner.employees.append(dogs[2]) }
        #expect(try first.nextSummary() == "-[] +[0, 1] ~[]")
        #expect(try second.nextSummary() == "-[] +[1] ~[]")
    }

    @Test("N22: embedded objects are modified in their places and replaced")
    func embedded() async throws {
        let world = try await RowWorld()
        try await world.edit { owner, _ in owner.tags.append(objectsIn: [RowTag(), RowTag()]) }
        let probe = try world.owner.tags.changes().probe()
        try await world.edit { owner, _ in owner.tags[1].text = "x" }
        #expect(try probe.nextSummary() == "-[] +[] ~[1]")
        try await world.edit { owner, _ in owner.tags[0] = RowTag() }
        #expect(try probe.nextSummary() == "-[] +[] ~[0]")
        try await world.edit { owner, _ in owner.tags.remove(at: 0) }
        #expect(try probe.nextSummary() == "-[0] +[] ~[]")
    }

    @Test("N10, N24: a set reports only elements that it did not contain")
    func setInsertion() async throws {
        let world = try await RowWorld()
        try await world.edit { owner, dogs in owner.pack.insert(dogs[0]) }
        let probe = try world.owner.pack.changes().probe()
        try await world.edit { owner, dogs in owner.pack.insert(dogs[0]) }
        #expect(try probe.nextSummary() == "")
        try await world.edit { owner, dogs in
            owner.pack.insert(dogs[0])
            owner.pack.insert(dogs[1])
        }
        #expect(try probe.nextSummary() == "-[] +[1] ~[]")
    }

    /// The replaced element was a deletion and an insertion.
    @Test("N22: list[i] = x is a modification where elements are compared, too")
    func replacedAmongMuch() async throws {
        let realm = try await holderRealm()
        let holder = try await realm.write { tx in
            let holder = try tx.create(Holder.self, value: ["key": 1])
            holder.doubles.append(objectsIn: [1, 2, 3])
            holder.doubleSet.insert(objectsIn: [1, 2, 3])
            return holder.freeze()
        }
        var list = holder.doubles.changes().producer
        var set = holder.doubleSet.changes().producer
        _ = try list.produce(MergedMarks(), at: realm.snapshot())
        _ = try set.produce(MergedMarks(), at: realm.snapshot())
        try await realm.write { tx in
            let holder = try #require(tx.object(Holder.self, forPrimaryKey: 1))
            holder.doubles[1] = 2.5
            holder.doubles.append(4)
            holder.doubleSet.remove(2)
            holder.doubleSet.insert(2.5)
        }
        guard case .element(let listed) = try list.produce(.everything, at: realm.snapshot()),
            case .element(let marked) = try set.produce(.everything, at: realm.snapshot())
        else {
            Issue.record("expected changes")
            return
        }
        #expect(summary(listed) == "-[] +[3] ~[1]")
        #expect(summary(marked) == "-[1] +[1] ~[]")
    }

    @Test("N23: a key that is removed and set again is modified, and so is each of an object")
    func mapKeys() async throws {
        let world = try await RowWorld()
        try await world.edit { owner, dogs in
            owner.byName["a"] = .some(dogs[2])
            owner.byName["b"] = .some(dogs[1])
            owner.byName["c"] = .some(dogs[2])
        }
        let probe = try world.owner.byName.changes().probe()
        try await world.edit { owner, dogs in
            owner.byName.removeObject(for: "b")
            owner.byName["b"] = .some(dogs[1])
        }
        #expect(try probe.nextSummary() == #"-[] +[] ~["b"]"#)
        try await world.edit { _, dogs in dogs[2].age = 3 }
        #expect(try probe.nextSummary() == #"-[] +[] ~["a", "c"]"#)
        try await world.delete(dog: 2)
        #expect(try probe.nextSummary() == #"-[] +[] ~["a", "c"]"#)
        try await world.edit { owner, _ in owner.byName.removeAll() }
        #expect(try probe.nextSummary() == #"-["a", "b", "c"] +[] ~[]"#)
    }

    @Test("N11: results of a list follow its order, and a sort does not")
    func resultsOfAList() async throws {
        let world = try await staffed()
        let employees = try world.owner.employees
        let sorted = try employees.sorted(by: \.age).changes(keyPaths: ["age"]).probe()
        let young = try employees.where { $0.age < 2 }.changes(keyPaths: ["age"]).probe()
        func nextSummaries() throws -> [String] {
            [try sorted.nextSummary(), try young.nextSummary()]
        }
        try await world.edit { owner, _ in owner.employees.swapAt(0, 1) }
        #expect(try nextSummaries() == ["", "-[1] +[0] ~[]"])
        // The oldest one, which the second does not show.
        try await world.edit { owner, _ in owner.employees.move(from: 2, to: 0) }
        #expect(try nextSummaries() == ["", ""])
        try await world.edit { owner, dogs in owner.employees.append(dogs[1]) }
        #expect(try nextSummaries() == ["-[] +[2] ~[]", "-[] +[2] ~[]"])
        try await world.deleteOwner()
        #expect(try nextSummaries() == ["-[0, 1, 2, 3] +[] ~[]", "-[0, 1, 2] +[] ~[]"])
        try await world.edit(dog: 0)
        #expect(try nextSummaries() == ["", ""])
    }

    @Test("N28: an inverse is empty when the object that it belongs to is deleted")
    func inverseOfADeletedObject() async throws {
        let world = try await RowWorld()
        let probe = try world.dog(0).owners.changes().probe()
        try await world.delete(dog: 0)
        #expect(try probe.nextSummary() == "-[0] +[] ~[]")
        try await world.edit { owner, _ in owner.name = "x" }
        #expect(try probe.nextSummary() == "")
    }
}

extension RowWorld {
    /// Writes an age of a dog, where there may be no owner.
    fileprivate func edit(dog id: Int) async throws {
        try await realm.write { tx in tx.object(RowDog.self, forPrimaryKey: id)?.age = 1 }
    }
}
