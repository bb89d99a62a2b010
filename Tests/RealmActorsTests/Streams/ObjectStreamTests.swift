import Foundation
import Testing

@testable import RealmActors

/// What the streams of objects deliver.
@Suite struct ObjectStreamTests {
    @Test("N1: every write of a managed property is reported, equal values too; commits coalesce")
    func when() async throws {
        let world = try await RowWorld()
        let stream = try world.owner.changes().probe()
        try await world.edit { owner, _ in owner.name = owner.name }
        try await world.edit { owner, _ in owner.numbers.append(1) }
        #expect(try stream.nextSummary() == "name, numbers -")
        try await world.edit { _, dogs in dogs[0].name = "other" }
        #expect(try stream.nextSummary() == "")
    }

    @Test("N2: there is no initial element")
    func noInitial() async throws {
        let world = try await RowWorld()
        #expect(try world.owner.changes().probe().nextSummary() == "")
    }

    @Test("N3, D6: changes have the old and the new value, nil for collections")
    func values() async throws {
        let world = try await RowWorld()
        let stream = try world.owner.changes().probe()
        try await world.edit { owner, dogs in
            owner.name = "new"
            owner.dog = dogs[1]
            owner.employees.append(dogs[0])
            dogs[0].name = "shown"
        }
        guard case .change(let owner, let changes)? = try stream.next() else {
            Issue.record("no change")
            return
        }
        #expect(owner.name == "new" && owner.dog?.id == 1)
        #expect(changes.map(\.name) == ["name", "dog", "employees"])
        #expect(changes[0].oldValue == .string("") && changes[0].newValue == .string("new"))
        #expect(changes[2].oldValue == nil && changes[2].newValue == nil)
        guard case .object(let old)? = changes[1].oldValue else {
            Issue.record("\(String(describing: changes[1].oldValue)) is no object")
            return
        }
        // The object of before shows the values of now.
        #expect("\(old)".contains("shown"))
        try await world.delete(dog: 1)
        guard case .change(_, let properties)? = try stream.next() else { return }
        #expect(properties.map(\.newValue) == [FrozenValue.none])
    }

    /// They were no values, before as after.
    @Test("D6: an embedded object is delivered as its properties; the replaced one is none")
    func embedded() async throws {
        let world = try await RowWorld()
        let older = world.realm.snapshot()
        let stream = try world.dog(1).changes().probe()
        try await world.edit { _, dogs in
            let tag = RowTag()
            tag.text = "new"
            dogs[1].tag = tag
        }
        let (old, new): (FrozenValue, FrozenValue) = (
            .dictionary(["text": ""]), .dictionary(["text": "new"])
        )
        guard case .change(_, let changes)? = try stream.next() else {
            Issue.record("no change")
            return
        }
        #expect(changes.map(\.name) == ["tag"])
        #expect(changes.map(\.oldValue) == [FrozenValue.none])
        #expect(changes.map(\.newValue) == [new])
        let differences = try world.realm.snapshot().changes(from: older)
        let dog = try #require(differences.modifications(of: RowDog.self).first)
        #expect(dog.properties.map(\.oldValue) == [old])
        #expect(dog.properties.map(\.newValue) == [new])
    }

    @Test("N4: .deleted comes once, past any filter, then the stream ends")
    func deletion() async throws {
        let world = try await RowWorld()
        var streams = try [world.owner.changes(), world.owner.changes(keyPaths: ["dog.tag.text"])]
            .map { $0.makeAsyncIterator() }
        try await world.deleteOwner()
        for index in streams.indices {
            #expect(try await summary(streams[index].next()) == "deleted")
            #expect(try await summary(streams[index].next()) == "end")
        }
    }

    /// The elements of all lists were compared as if they were those of one.
    @Test func anElementThatMovedToTheNextListBeforeTheSubscriptionIsReported() async throws {
        let world = try await RowWorld()
        let town = try await world.realm.write { tx in
            let owner = try #require(tx.object(RowOwner.self, forPrimaryKey: 0))
            owner.numbers.append(1)
            owner.numbers.append(2)
            let town = try tx.create(RowTown.self, value: ["id": 0])
            town.owners.append(owner)
            town.owners.append(try tx.create(RowOwner.self, value: ["id": 1]))
            return town.freeze()
        }
        try await world.realm.write { tx in
            let owners = tx.objects(RowOwner.self)
            owners[0].numbers.removeLast()
            owners[1].numbers.append(2)
        }
        let stream = town.changes(keyPaths: ["owners.numbers"]).probe()
        #expect(try stream.nextSummary() == "owners -")
    }

    @Test func anInverseThatMovedToTheNextObjectBeforeTheSubscriptionIsReported() async throws {
        let world = try await RowWorld()
        let owner = try await world.realm.write { tx in
            let dogs = Array(tx.objects(RowDog.self))
            let owner = try #require(tx.object(RowOwner.self, forPrimaryKey: 0))
            owner.employees.append(dogs[1])
            owner.employees.append(dogs[2])
            for id in 1...2 { try tx.create(RowOwner.self, value: ["id": id]).dog = dogs[1] }
            return owner.freeze()
        }
        try await world.realm.write { tx in
            let last = try #require(tx.object(RowOwner.self, forPrimaryKey: 2))
            last.dog = tx.object(RowDog.self, forPrimaryKey: 2)
        }
        let stream = owner.changes(keyPaths: ["employees.owners"]).probe()
        #expect(try stream.nextSummary() == "employees -")
    }

    @Test("N5: without key paths every own property is watched, links shallowly")
    func shallow() async throws {
        let world = try await RowWorld()
        let stream = try world.owner.changes().probe()
        try await world.edit { _, dogs in
            dogs[0].name = "x"
            dogs[0].tag = RowTag()
        }
        #expect(try stream.nextSummary() == "")
        try await world.edit { owner, dogs in
            owner.dog = dogs[2]
            owner.byName["a"] = .some(dogs[0])
            owner.pack.insert(dogs[0])
        }
        #expect(try stream.nextSummary() == "dog, pack -, byName -")
    }

    @Test("N6: an unmanaged object is refused, and so is a deleted one")
    @MainActor func refusals() async throws {
        #expect(throws: RealmError.self) {
            try RowDog().observe(on: MainActor.shared) { _, _ in }
        }
        // This one ended the process.
        var unmanaged = RowDog().changes(keyPaths: [\.age]).makeAsyncIterator()
        await #expect(throws: RealmError.self) { try await unmanaged.next() }
        let world = try await RowWorld()
        let live = try await world.realm.live()
        let dog = try #require(live.object(RowDog.self, forPrimaryKey: 2))
        try await live.write { try live.delete(dog) }
        #expect(throws: RealmError.self) { try dog.observe(on: MainActor.shared) { _, _ in } }
    }

    /// Each ended the process.
    @Test("N28: the collections of an unmanaged object are refused")
    @MainActor func unmanagedCollections() async throws {
        let (owner, dog, actor) = (RowOwner(), RowDog(), MainActor.shared)
        let observing: [() throws -> NotificationToken] = [
            { try owner.numbers.observe(on: actor) { _, _ in } },
            { try owner.employees.observe(on: actor, keyPaths: [\.age]) { _, _ in } },
            { try owner.pack.observe(on: actor, keyPaths: [\.age]) { _, _ in } },
            { try owner.byName.observe(on: actor, keyPaths: ["age"]) { _, _ in } },
            { try dog.owners.observe(on: actor) { _, _ in } },
        ]
        for observe in observing { #expect(throws: RealmError.self) { try observe() } }
        var changes = owner.numbers.changes().makeAsyncIterator()
        await #expect(throws: RealmError.self) { try await changes.next() }
    }

    @Test("D14: an object stream starts from the version of the object it was asked of")
    func start() async throws {
        let world = try await RowWorld()
        let owner = try world.owner
        try await world.edit { owner, _ in owner.name = "later" }
        let stream = owner.changes().probe()
        #expect(try stream.nextSummary() == "name")
    }
}
