import Testing

@testable import RealmActors

/// What streams of results deliver where objects come, go and change in one transaction, or in
/// several before the stream looks.
@Suite struct ResultsCaseTests {
    private typealias Probe = StreamProbe<CollectionChange<FrozenResults<RowDog>>>

    /// A world whose dogs are 0, 1 and 2 years old.
    private func aged() async throws -> RowWorld {
        let world = try await RowWorld()
        try await world.edit { _, dogs in
            for (age, dog) in dogs.enumerated() { dog.age = age }
        }
        return world
    }

    private func nextSummaries(_ probes: [Probe]) throws -> [String] {
        try probes.map { try $0.nextSummary() }
    }

    @Test("N11: an object that leaves and comes again before the stream looks is modified")
    func leavesAndComes() async throws {
        let world = try await aged()
        let dogs = world.realm.objects(RowDog.self)
        let probes: [Probe] = try [
            dogs.where { $0.age > 0 }.changes().probe(),
            dogs.where { $0.age > 0 }.sorted(by: \.age).changes().probe(),
            dogs.where { $0.age > 0 }.changes(keyPaths: ["name"]).probe(),
        ]
        try await world.edit { _, dogs in dogs[2].age = 0 }
        try await world.edit { _, dogs in dogs[2].age = 5 }
        #expect(try nextSummaries(probes) == ["-[] +[] ~[1]", "-[] +[] ~[1]", ""])
        // One that comes and leaves is nothing.
        try await world.edit { _, dogs in dogs[0].age = 5 }
        try await world.edit { _, dogs in dogs[0].age = 0 }
        #expect(try nextSummaries(probes) == ["", "", ""])
    }

    @Test("N10: an object that is made, and modified by the next transaction, is inserted only")
    func madeAndModified() async throws {
        let world = try await aged()
        let dogs = world.realm.objects(RowDog.self)
        let probes: [Probe] = try [
            dogs.changes().probe(), dogs.sorted(by: \.age, ascending: false).changes().probe(),
        ]
        try await world.realm.write { tx in _ = try tx.create(RowDog.self, value: ["id": 7]) }
        try await world.edit { _, dogs in dogs[3].age = 9 }
        #expect(try nextSummaries(probes) == ["-[] +[3] ~[]", "-[] +[0] ~[]"])
        try await world.realm.write { tx in _ = try tx.create(RowDog.self, value: ["id": 8]) }
        try await world.delete(dog: 8)
        #expect(try nextSummaries(probes) == ["", ""])
    }

    @Test("N9: modifications are previous positions, and the present ones are reported too")
    func positions() async throws {
        let world = try await aged()
        let probe = try world.realm.objects(RowDog.self).where { $0.age < 9 }
            .changes(keyPaths: ["name"]).probe()
        try await world.edit { _, dogs in
            dogs[0].age = 9
            dogs[2].name = "x"
        }
        let change = try #require(try probe.next())
        #expect(summary(change) == "-[0] +[] ~[2]" && change.newModifications == [1])
    }

    @Test("N11: what a limit leaves out comes when there is room")
    func limits() async throws {
        let world = try await aged()
        let probe = try world.realm.objects(RowDog.self).sorted(by: \.age).limit(2)
            .changes(keyPaths: ["name"]).probe()
        try await world.edit { _, dogs in dogs[0].age = 9 }
        #expect(try probe.nextSummary() == "-[0] +[1] ~[]")
        try await world.delete(dog: 1)
        #expect(try probe.nextSummary() == "-[0] +[1] ~[]")
        // Behind the second place, and then first.
        try await world.realm.write { tx in
            _ = try tx.create(RowDog.self, value: ["id": 7, "age": 20])
        }
        #expect(try probe.nextSummary() == "")
        try await world.edit { _, dogs in dogs[2].age = 1 }
        #expect(try probe.nextSummary() == "-[1] +[0] ~[]")
    }

    @Test("N11: another object comes for a value whose first one changes or goes")
    func distinct() async throws {
        let world = try await RowWorld()
        let probe = try world.realm.objects(RowDog.self).distinct(by: \.age)
            .changes(keyPaths: ["name"]).probe()
        try await world.edit { _, dogs in dogs[0].age = 1 }
        #expect(try probe.nextSummary() == "-[] +[1] ~[]")
        // The second one is no longer the first of its value.
        try await world.edit { _, dogs in dogs[1].age = 1 }
        #expect(try probe.nextSummary() == "-[1] +[1] ~[]")
        try await world.delete(dog: 0)
        #expect(try probe.nextSummary() == "-[0] +[0] ~[]")
    }

    /// Adds owners of the dogs 1 and 2; all owners by the age of their dog.
    private func ownersByAge(in world: RowWorld) async throws -> FrozenResults<RowOwner> {
        try await world.realm.write { tx in
            for id in 1...2 {
                let owner = try tx.create(RowOwner.self, value: ["id": id])
                owner.dog = tx.object(RowDog.self, forPrimaryKey: id)
            }
        }
        return world.realm.objects(RowOwner.self).sorted(by: \.dog?.age)
    }

    @Test("N11: a sort across a link moves what its object has moved")
    func sortedAcrossALink() async throws {
        let world = try await aged()
        let owners = try await ownersByAge(in: world)
        let deep = try owners.changes().probe()
        let named = try owners.changes(keyPaths: ["name"]).probe()
        func nextSummaries() throws -> [String] {
            [try deep.nextSummary(), try named.nextSummary()]
        }
        try await world.edit { _, dogs in dogs[0].age = 5 }
        #expect(try nextSummaries() == ["-[0] +[2] ~[]", "-[0] +[2] ~[]"])
        try await world.edit { _, dogs in dogs[0].age = 6 }
        #expect(try nextSummaries() == ["-[] +[] ~[2]", ""])
    }

    /// The object that it passed was reported.
    @Test("N11: where rows are compared, the object that was written has moved")
    func writtenOneMoves() async throws {
        let world = try await aged()
        let dogs = world.realm.objects(RowDog.self).distinct(by: \.id).sorted(by: \.age)
        let probes: [Probe] = try [
            dogs.changes().probe(), dogs.changes(keyPaths: ["name"]).probe(),
        ]
        // The first one's friend.
        try await world.edit { _, dogs in dogs[1].age = 3 }
        #expect(try nextSummaries(probes) == ["-[1] +[2] ~[0]", "-[1] +[2] ~[]"])
        try await world.edit { _, dogs in
            dogs[1].age = 1
            dogs[0].name = "x"
        }
        #expect(try nextSummaries(probes) == ["-[2] +[1] ~[0]", "-[2] +[1] ~[0]"])
    }

    @Test("N11: the object whose linked object was written has moved, for any key paths")
    func linkToWrittenOneMoves() async throws {
        let world = try await aged()
        let owners = try await ownersByAge(in: world)
        let deep = try owners.changes().probe()
        let named = try owners.changes(keyPaths: ["name"]).probe()
        try await world.edit { _, dogs in dogs[1].age = 3 }
        #expect(try deep.nextSummary() == "-[1] +[2] ~[0]")
        #expect(try named.nextSummary() == "-[1] +[2] ~[]")
    }

    @Test("N9: all objects are deleted, and others are made, in one transaction and in several")
    func clearedAndFilled() async throws {
        let world = try await aged()
        let dogs = world.realm.objects(RowDog.self)
        let probes: [Probe] = try [
            dogs.changes().probe(), dogs.where { $0.age < 9 }.changes().probe(),
            dogs.sorted(by: \.age).changes().probe(),
        ]
        func expect(_ text: String) throws {
            #expect(try nextSummaries(probes) == Array(repeating: text, count: 3))
        }
        try await world.realm.write { tx in try tx.deleteAll(RowDog.self) }
        try expect("-[0, 1, 2] +[] ~[]")
        try await world.realm.write { tx in
            for id in 0..<2 { _ = try tx.create(RowDog.self, value: ["id": id, "age": id]) }
        }
        try expect("-[] +[0, 1] ~[]")
        try await world.realm.write { tx in
            try tx.deleteAll(RowDog.self)
            for id in 0..<3 { _ = try tx.create(RowDog.self, value: ["id": id, "age": id]) }
        }
        try expect("-[0, 1] +[0, 1, 2] ~[]")
    }
}
