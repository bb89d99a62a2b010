import RealmActors
import Testing

final class StreamOwner: Object {
    @Persisted var name: String = ""
    @Persisted var pets: List<StreamPet>
    @Persisted var best: StreamPet?
    @Persisted var notes: Map<String, Int>
}

final class StreamPet: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String = ""
    @Persisted var age: Int = 0
    @Persisted var owner: StreamOwner?
    @Persisted(originProperty: "pets") var owners: LinkingObjects<StreamOwner>
}

func streamRealm() async throws -> Realm {
    try await freshRealm([StreamOwner.self, StreamPet.self])
}

extension Realm {
    @discardableResult
    fileprivate func addPet(_ id: Int, name: String = "", age: Int = 0) async throws -> Frozen<
        StreamPet
    > {
        try await write { tx in
            try tx.create(StreamPet.self, value: ["id": id, "name": name, "age": age]).freeze()
        }
    }

    fileprivate func edit(
        _ pet: Frozen<StreamPet>, _ body: sending @escaping (StreamPet) -> Void
    ) async throws {
        try await write { tx in body(try #require(tx.resolve(pet))) }
    }
}

@Suite struct ObjectChangeTests {
    @Test("N5, D6: own properties are watched by default, with old and new values")
    func ownPropertiesAreWatchedByDefaultAndTellOldAndNewValues() async throws {
        let realm = try await streamRealm()
        let rex = try await realm.addPet(1, name: "Rex", age: 1)
        var changes = rex.changes().makeAsyncIterator()
        try await realm.edit(rex) { $0.age = 2 }
        try await realm.edit(rex) { $0.name = "Max" }
        guard case .change(let pet, let properties)? = try await changes.next() else {
            Issue.record("expected a change")
            return
        }
        #expect(pet.age == 2 && pet.name == "Max")
        #expect(properties.map(\.name) == ["name", "age"])
        #expect(properties.map(\.oldValue) == [.string("Rex"), .int(1)])
        #expect(properties.map(\.newValue) == [.string("Max"), .int(2)])
    }

    @Test("D14: nothing between fetching and watching is lost")
    func nothingBetweenFetchingAndWatchingIsLost() async throws {
        let realm = try await streamRealm()
        let rex = try await realm.addPet(1, age: 1)
        try await realm.edit(rex) { $0.age = 2 }
        var changes = rex.changes(keyPaths: [\.age]).makeAsyncIterator()
        guard case .change(_, let properties)? = try await changes.next() else {
            Issue.record("expected a change")
            return
        }
        #expect(properties.map(\.oldValue) == [.int(1)])
        try await realm.write { tx in try tx.delete(#require(tx.resolve(rex))) }
        var late = rex.changes().makeAsyncIterator()
        guard case .deleted? = try await late.next() else {
            Issue.record("expected a deletion")
            return
        }
        let end = try await late.next()
        #expect(end == nil)
    }

    @Test func writingAnEqualValueCountsAndOtherObjectsDoNot() async throws {
        let realm = try await streamRealm()
        let rex = try await realm.addPet(1, age: 1)
        let max = try await realm.addPet(2, age: 1)
        var changes = rex.changes().makeAsyncIterator()
        try await realm.edit(max) { $0.age = 9 }
        try await realm.edit(rex) { $0.age = 1 }
        guard case .change(let pet, let properties)? = try await changes.next() else {
            Issue.record("expected a change")
            return
        }
        #expect(pet.id == 1 && properties.map(\.name) == ["age"])
    }

    @Test func pathsCrossLinksListsAndBacklinksAndReportTheirRoot() async throws {
        let realm = try await streamRealm()
        let rex = try await realm.addPet(1, age: 1)
        let owner = try await realm.write { tx in
            let owner = try tx.create(StreamOwner.self, value: ["name": "Ada"])
            owner.pets.append(try #require(tx.resolve(rex)))
            return owner.freeze()
        }
        var ages = owner.changes(keyPaths: ["pets.age"]).makeAsyncIterator()
        let now = try #require(owner.pets.first)
        var owners = now.changes(keyPaths: ["owners.name"]).makeAsyncIterator()
        try await realm.edit(rex) { $0.age = 5 }
        guard case .change(_, let properties)? = try await ages.next() else {
            Issue.record("expected a change")
            return
        }
        #expect(properties == [PropertyChange]([properties[0]]) && properties[0].name == "pets")
        #expect(properties[0].oldValue == nil && properties[0].newValue == nil)
        try await realm.write { tx in try #require(tx.resolve(owner)).name = "Eve" }
        guard case .change(_, let renamed)? = try await owners.next() else {
            Issue.record("expected a change")
            return
        }
        #expect(renamed.map(\.name) == ["owners"])
        // A backlink that goes leaves no mark at the pet, and is found all the same.
        try await realm.write { tx in try #require(tx.resolve(owner)).pets.removeAll() }
        guard case .change(let lonely, _)? = try await owners.next() else {
            Issue.record("expected a change")
            return
        }
        #expect(lonely.owners.isEmpty)
    }

    @Test("N20: an invalid path is an error of the stream")
    func anInvalidPathIsAnErrorOfTheStream() async throws {
        let realm = try await streamRealm()
        let rex = try await realm.addPet(1)
        var changes = rex.changes(keyPaths: ["nme"]).makeAsyncIterator()
        await #expect(throws: RealmError.self) { try await changes.next() }
        var further = rex.changes(keyPaths: ["name.length"]).makeAsyncIterator()
        await #expect(throws: RealmError.self) { try await further.next() }
    }
}

@Suite struct CollectionChangeTests {
    @Test func writesBeforeTheFirstElementAreFoldedIntoIt() async throws {
        let realm = try await streamRealm()
        var changes = realm.objects(StreamPet.self).changes().makeAsyncIterator()
        try await realm.addPet(1)
        guard case .initial(let pets)? = try await changes.next() else {
            Issue.record("expected the initial collection")
            return
        }
        #expect(pets.count == 1)
        try await realm.addPet(2)
        guard case .update(_, [], [1], [])? = try await changes.next() else {
            Issue.record("expected one insertion")
            return
        }
    }

    @Test func withoutKeyPathsModifiedTargetsMarkTheirReferrers() async throws {
        let realm = try await streamRealm()
        let rex = try await realm.addPet(1)
        try await realm.write { tx in
            _ = try tx.create(StreamOwner.self, value: ["name": "Ada"])
            let owner = try tx.create(StreamOwner.self, value: ["name": "Eve"])
            owner.best = tx.resolve(rex)
        }
        let all = realm.objects(StreamOwner.self)
        var deep = all.changes().makeAsyncIterator()
        var names = all.changes(keyPaths: [\.name]).makeAsyncIterator()
        _ = try await deep.next()
        _ = try await names.next()
        try await realm.edit(rex) { $0.age = 3 }
        guard case .update(_, [], [], [1])? = try await deep.next() else {
            Issue.record("expected one modification")
            return
        }
        try await realm.write { tx in
            _ = try tx.create(StreamOwner.self, value: ["name": "Zoe"])
        }
        guard case .update(_, [], [2], [])? = try await names.next() else {
            Issue.record("expected one insertion and no modification")
            return
        }
    }

    @Test func listsTellExactEdits() async throws {
        let realm = try await streamRealm()
        let owner = try await realm.write { tx in
            let owner = try tx.create(StreamOwner.self)
            for id in 0..<4 { owner.pets.append(try tx.create(StreamPet.self, value: ["id": id])) }
            return owner.freeze()
        }
        var changes = owner.pets.changes().makeAsyncIterator()
        _ = try await changes.next()
        try await realm.write { tx in
            let pets = try #require(tx.resolve(owner)).pets
            pets.remove(at: 0)
            pets.append(pets[0])
        }
        try await realm.write { tx in try #require(tx.resolve(owner)).pets[1].age = 7 }
        let change = try await changes.next()
        guard case .update(let pets, [0], [3], [2])? = change else {
            Issue.record("expected another update than \(String(describing: change))")
            return
        }
        #expect(pets.map(\.id) == [1, 2, 3, 1])
        #expect(change?.newModifications == [1])
        try await realm.write { tx in try tx.delete(#require(tx.resolve(owner))) }
        guard case .update(let emptied, [0, 1, 2, 3], [], [])? = try await changes.next() else {
            Issue.record("expected all elements to go")
            return
        }
        #expect(emptied.isEmpty)
        let end = try await changes.next()
        #expect(end == nil)
    }

    @Test func swiftKeyPathsCrossOptionalLinks() async throws {
        let realm = try await streamRealm()
        let rex = try await realm.addPet(1)
        let owner = try await realm.write { tx in
            let owner = try tx.create(StreamOwner.self, value: ["name": "Eve"])
            owner.best = tx.resolve(rex)
            return owner.freeze()
        }
        let all = realm.objects(StreamOwner.self)
        var ages = all.changes(keyPaths: [\.best?.age]).makeAsyncIterator()
        _ = try await ages.next()
        try await realm.edit(rex) { $0.name = "Max" }
        try await realm.write { tx in try #require(tx.resolve(owner)).name = "Zoe" }
        try await realm.edit(rex) { $0.age = 8 }
        guard case .update(let owners, [], [], [0])? = try await ages.next() else {
            Issue.record("expected one modification")
            return
        }
        #expect(owners.first?.best?.age == 8)
    }

    @Test func mapsTellKeys() async throws {
        let realm = try await streamRealm()
        let owner = try await realm.write { tx in
            let owner = try tx.create(StreamOwner.self)
            owner.notes["a"] = 1
            owner.notes["b"] = 2
            owner.notes["c"] = 3
            return owner.freeze()
        }
        var changes = owner.notes.changes().makeAsyncIterator()
        _ = try await changes.next()
        try await realm.write { tx in
            let notes = try #require(tx.resolve(owner)).notes
            notes["a"] = nil
            notes["c"] = 4
            notes["aa"] = 5
        }
        let change = try await changes.next()
        guard case .update(let notes, ["a"], ["aa"], ["c"])? = change else {
            Issue.record("expected another update than \(String(describing: change))")
            return
        }
        #expect(change?.newModifications == ["c"] && notes["c"] == 4)
    }

    @Test func cancellingEndsAWaitingStream() async throws {
        let realm = try await streamRealm()
        let changes = realm.objects(StreamPet.self).changes()
        let watching = Task {
            var count = 0
            for try await _ in changes { count += 1 }
            return count
        }
        await Task.yield()
        watching.cancel()
        let count = try await watching.value
        #expect(count <= 1)
    }
}
