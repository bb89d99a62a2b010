import Foundation
import Testing

@testable import RealmActors

/// What the streams of collections deliver.
@Suite struct CollectionStreamTests {
    @Test("N8: collections begin with .initial once, writes before it are folded into it")
    func initial() async throws {
        let world = try await RowWorld()
        var stream = world.realm.objects(RowDog.self).changes().makeAsyncIterator()
        try await world.delete(dog: 2)
        #expect(try await summary(stream.next()) == "initial 2")
        try await world.delete(dog: 1)
        #expect(try await summary(stream.next()) == "-[1] +[] ~[0]")
    }

    @Test("N10: change = write, not value; insert-then-delete is not reported")
    func writes() async throws {
        let world = try await RowWorld()
        let object = try world.owner.changes().probe()
        let rows = try world.realm.objects(RowOwner.self).changes(keyPaths: [\.name]).probe()
        try await world.edit { owner, _ in owner.name = owner.name }
        #expect(try object.nextSummary() == "name")
        #expect(try rows.nextSummary() == "-[] +[] ~[0]")
        try await world.edit { owner, _ in
            owner.name = "x"
            owner.name = ""
        }
        #expect(try object.nextSummary() == "name")
        #expect(try rows.nextSummary() == "-[] +[] ~[0]")
        try await world.realm.write { tx in
            try tx.delete(tx.create(RowOwner.self, value: ["id": 9]))
        }
        #expect(try object.nextSummary() == "" && rows.nextSummary() == "")
        try await world.realm.write { _ in }
        #expect(try object.nextSummary() == "" && rows.nextSummary() == "")
    }

    @Test("N11: becoming matching is an insertion, ceasing to a deletion, other rows are nothing")
    func membership() async throws {
        let world = try await RowWorld()
        let dogs = world.realm.objects(RowDog.self)
        let old = try dogs.where { $0.age > 5 }.changes().probe()
        let sorted = try dogs.where { $0.age > 5 }.sorted(by: \.age).changes().probe()
        func nextSummaries() throws -> [String] {
            [try old.nextSummary(), try sorted.nextSummary()]
        }
        try await world.edit { _, dogs in dogs[2].age = 3 }
        #expect(try nextSummaries() == ["", ""])
        try await world.edit { _, dogs in
            dogs[2].age = 8
            dogs[0].age = 9
        }
        #expect(try nextSummaries() == ["-[] +[0, 1] ~[]", "-[] +[0, 1] ~[]"])
        try await world.edit { _, dogs in dogs[0].age = 9 }
        #expect(try nextSummaries() == ["-[] +[] ~[0]", "-[] +[] ~[1]"])
        try await world.edit { _, dogs in dogs[0].age = 2 }
        #expect(try nextSummaries() == ["-[0] +[] ~[]", "-[1] +[] ~[]"])
    }

    @Test("N11: a modified row that moves in a sort is a deletion and an insertion")
    func moves() async throws {
        let world = try await RowWorld()
        let dogs = world.realm.objects(RowDog.self).sorted(by: \.age)
        let probe = try dogs.changes(keyPaths: [\.name]).probe()
        try await world.edit { _, dogs in dogs[0].age = 5 }
        #expect(try probe.nextSummary() == "-[0] +[2] ~[]")
        try await world.edit { _, dogs in dogs[0].age = 6 }
        #expect(try probe.nextSummary() == "")
        let deep = try dogs.changes().probe()
        try await world.edit { _, dogs in dogs[0].age = 7 }
        #expect(try deep.nextSummary() == "-[] +[] ~[2]")
    }

    @Test("N19: key paths filter modifications only; insertions and deletions are always reported")
    func filterModificationsOnly() async throws {
        let world = try await RowWorld()
        let probe = try world.realm.objects(RowDog.self).changes(keyPaths: ["tag.text"]).probe()
        try await world.realm.write { tx in
            try tx.create(RowDog.self, value: ["id": 7])
            try tx.delete(#require(tx.object(RowDog.self, forPrimaryKey: 2)))
            tx.object(RowDog.self, forPrimaryKey: 0)?.age = 3
            tx.object(RowDog.self, forPrimaryKey: 1)?.tag?.text = "x"
        }
        #expect(try probe.nextSummary() == "-[2] +[2] ~[1]")
    }

    @Test("N12, D13: without key paths modifications are deep: one target marks every referrer")
    func deep() async throws {
        let world = try await RowWorld()
        try await world.realm.write { tx in
            for id in 1...4 {
                let owner = try tx.create(RowOwner.self, value: ["id": id])
                let dog = tx.object(RowDog.self, forPrimaryKey: 1)
                switch id {
                case 1: owner.dog = dog
                case 2: if let dog { owner.employees.append(dog) }
                case 3: if let dog { owner.pack.insert(dog) }
                default: owner.byName["x"] = dog
                }
            }
        }
        let probe = try world.realm.objects(RowOwner.self).changes().probe()
        try await world.edit { _, dogs in dogs[1].tag?.text = "deep" }
        #expect(try probe.nextSummary() == "-[] +[] ~[0, 1, 2, 3, 4]")
        try await world.edit { _, dogs in dogs[2].age = 1 }
        #expect(try probe.nextSummary() == "")
        try await world.delete(dog: 1)
        #expect(try probe.nextSummary() == "-[] +[] ~[0, 1, 2, 3, 4]")
    }

    @Test("N12, D13: the deep default follows links up to 4 deep")
    func fourLinks() async throws {
        let world = try await RowWorld()
        try await world.realm.write { tx in
            let dogs = try (10..<16).map { try tx.create(RowDog.self, value: ["id": $0]) }
            for (dog, next) in zip(dogs, dogs.dropFirst()) { dog.friend = next }
        }
        let first = world.realm.objects(RowDog.self).where { $0.id == 10 }
        let probe = try first.changes().probe()
        let object = try world.dog(10).changes().probe()
        for (id, text) in [(14, "-[] +[] ~[0]"), (15, "")] {
            try await world.realm.write { tx in
                tx.object(RowDog.self, forPrimaryKey: id)?.age += 1
            }
            #expect(try probe.nextSummary() == text)
            #expect(try object.nextSummary() == "")
        }
    }

    @Test("N21: a deleted parent's rows are deleted once, then silence; an empty list is silent")
    func deletedParent() async throws {
        let world = try await RowWorld()
        try await world.edit { owner, dogs in
            owner.employees.append(objectsIn: dogs)
            owner.byName["a"] = .some(dogs[0])
        }
        let owner = try world.owner
        var full = owner.employees.changes().makeAsyncIterator()
        var empty = owner.numbers.changes().makeAsyncIterator()
        var map = owner.byName.changes().makeAsyncIterator()
        let inverse = try world.dog(0).owners
        let linking = try inverse.changes().probe()
        _ = try await (full.next(), empty.next(), map.next())
        try await world.deleteOwner()
        #expect(try await summary(full.next()) == "-[0, 1, 2] +[] ~[]")
        #expect(try await summary(full.next()) == "end")
        #expect(try await summary(empty.next()) == "end")
        #expect(try await summary(map.next()) == "-[\"a\"] +[] ~[]")
        #expect(try await summary(map.next()) == "end")
        #expect(try linking.nextSummary() == "-[0] +[] ~[]")
    }

    /// They stayed open, and empty.
    @Test("N21: the streams of results of a list end like that of the list")
    func deletedParentOfResults() async throws {
        let world = try await RowWorld()
        try await world.edit { owner, dogs in owner.employees.append(objectsIn: dogs) }
        let employees = try world.owner.employees
        let dogs = employees.sorted(by: \.id)
        var sorted = dogs.changes().makeAsyncIterator()
        var none = employees.where { $0.id > 9 }.changes().makeAsyncIterator()
        var sections = dogs.sectioned(by: \.age).changes().makeAsyncIterator()
        var groups = dogs.grouped(by: \.age).changes(.count).makeAsyncIterator()
        _ = try await (sorted.next(), none.next(), sections.next(), groups.next())
        try await world.deleteOwner()
        let last = try await sorted.next()
        #expect(summary(last) == "-[0, 1, 2] +[] ~[]" && last?.collection.isEmpty == true)
        #expect(try await summary(sorted.next()) == "end")
        #expect(try await summary(none.next()) == "end")
        #expect(try await sections.next()?.deletedSections == [0])
        #expect(try await sections.next() == nil)
        #expect(try await groups.next()?.isEmpty == true)
        #expect(try await groups.next() == nil)
        var late = dogs.changes().makeAsyncIterator()
        #expect(try await summary(late.next()) == "end")
    }

    /// An empty inverse did not even notice the deletion, which writes no object that links there.
    @Test("N21: so does the stream of an inverse, also of an empty one")
    func deletedTarget() async throws {
        let world = try await RowWorld()
        let (linked, free) = (try world.dog(0), try world.dog(2))
        var owners = linked.owners.changes().makeAsyncIterator()
        var firms = free.firms.changes(keyPaths: ["name"]).makeAsyncIterator()
        _ = try await (owners.next(), firms.next())
        try await world.delete(dog: 2)
        #expect(try await summary(firms.next()) == "end")
        try await world.delete(dog: 0)
        #expect(try await summary(owners.next()) == "-[0] +[] ~[]")
        #expect(try await summary(owners.next()) == "end")
    }

    /// They ended at once, as if the object were deleted.
    @Test("N21: streams of results with a limit of zero begin, and end with the object")
    func limitedToNone() async throws {
        let world = try await RowWorld()
        let (owner, dog) = (try world.owner, try world.dog(0))
        var listed = owner.employees.sorted(by: \.id).limit(0).changes().makeAsyncIterator()
        var linking = dog.owners.limit(0).changes().makeAsyncIterator()
        #expect(try await summary(listed.next()) == "initial 0")
        #expect(try await summary(linking.next()) == "initial 0")
        try await world.deleteOwner()
        #expect(try await summary(listed.next()) == "end")
        try await world.delete(dog: 0)
        #expect(try await summary(linking.next()) == "end")
    }

    /// They stayed open, and empty, unlike that of the list.
    @Test("N21: the streams of results that were frozen after the deletion end at once")
    @MainActor func resultsFrozenAfterTheDeletion() async throws {
        let world = try await RowWorld()
        let live = try await world.realm.live()
        let employees = try #require(live.object(RowOwner.self, forPrimaryKey: 0)).employees
        try await world.deleteOwner()
        live.refresh()
        let frozen = employees.freeze()
        var list = frozen.changes().makeAsyncIterator()
        var sorted = frozen.sorted(by: \.id).changes().makeAsyncIterator()
        #expect(try await summary(list.next()) == "end")
        #expect(try await summary(sorted.next()) == "end")
    }

    /// Whatever reads its objects ended the process, a sum or a query.
    @Test("N21: what a stream ends with, when its object is deleted, can be queried and watched")
    func lastCollections() async throws {
        let world = try await RowWorld()
        try await world.edit { owner, dogs in
            owner.employees.append(objectsIn: dogs)
            owner.pack.insert(dogs[0])
            owner.byName["a"] = .some(dogs[0])
        }
        let owner = try world.owner
        let lists = try owner.employees.changes().probe()
        let sets = try owner.pack.changes().probe()
        let maps = try owner.byName.changes().probe()
        try await world.deleteOwner()
        let (listed, packed, named) = (try lists.next(), try sets.next(), try maps.next())
        let list = try #require(listed?.collection)
        let set = try #require(packed?.collection)
        let map = try #require(named?.collection)
        #expect(list.isEmpty && set.isEmpty && map.isEmpty)
        #expect(list.sum(of: \.age) == 0 && set.max(of: \.age) == nil)
        let found: [FrozenResults<RowDog>] = [
            list.where { $0.age >= 0 }, set.sorted(by: \.age), map.where { $0.id < 9 },
        ]
        #expect(found.map(\.count) == [0, 0, 0])
        var again = list.changes().makeAsyncIterator()
        #expect(try await summary(again.next()) == "end")
    }

    @Test("N22, D15: list[i] = x is a modification, move a deletion and an insertion, swap two")
    func lists() async throws {
        let world = try await RowWorld()
        try await world.edit { owner, dogs in
            owner.employees.append(objectsIn: dogs)
            owner.numbers.append(objectsIn: [1, 1, 2])
        }
        let dogs = try world.owner.employees.changes(keyPaths: [\.name]).probe()
        let numbers = try world.owner.numbers.changes().probe()
        func nextSummaries() throws -> [String] {
            [try dogs.nextSummary(), try numbers.nextSummary()]
        }
        try await world.edit { owner, dogs in
            owner.employees[1] = dogs[0]
            owner.numbers[1] = 5
        }
        #expect(try nextSummaries() == ["-[] +[] ~[1]", "-[] +[] ~[1]"])
        try await world.edit { owner, _ in
            owner.employees.move(from: 0, to: 2)
            owner.numbers.move(from: 0, to: 2)
        }
        #expect(try nextSummaries() == ["-[0] +[2] ~[]", "-[0] +[2] ~[]"])
        try await world.edit { owner, _ in
            owner.employees.swapAt(0, 2)
            owner.numbers.swapAt(0, 2)
        }
        #expect(try nextSummaries() == ["-[] +[] ~[0, 2]", "-[] +[] ~[0, 2]"])
        try await world.edit { owner, _ in
            owner.employees.removeAll()
            owner.numbers.removeAll()
        }
        #expect(try nextSummaries() == ["-[0, 1, 2] +[] ~[]", "-[0, 1, 2] +[] ~[]"])
    }

    @Test("N23: maps report keys; a deleted object is a modification of its key")
    func maps() async throws {
        let world = try await RowWorld()
        try await world.edit { owner, dogs in
            owner.byName["a"] = .some(dogs[0])
            owner.byName["b"] = .some(dogs[2])
        }
        let names = try world.owner.byName
        let probe = try names.changes().probe()
        let ages = [names.changes(keyPaths: ["age"]), names.changes(keyPaths: [\RowDog.age])]
        let filtered = try ages.map { try $0.probe() }
        try await world.delete(dog: 2)
        #expect(try probe.nextSummary() == #"-[] +[] ~["b"]"#)
        for probe in filtered { #expect(try probe.nextSummary() == #"-[] +[] ~["b"]"#) }
        try await world.edit { owner, dogs in
            dogs[0].name = "x"
            owner.byName["c"] = .some(dogs[1])
            owner.byName.removeObject(for: "b")
        }
        #expect(try probe.nextSummary() == #"-["b"] +["c"] ~["a"]"#)
        for probe in filtered { #expect(try probe.nextSummary() == #"-["b"] +["c"] ~[]"#) }
        try await world.edit { _, dogs in dogs[1].age = 4 }
        for probe in filtered { #expect(try probe.nextSummary() == #"-[] +[] ~["c"]"#) }
    }

    @Test("N24: sets report positions of their order; key paths filter modifications")
    func sets() async throws {
        let world = try await RowWorld()
        try await world.edit { owner, dogs in
            owner.pack.insert(dogs[0])
            owner.pack.insert(dogs[2])
        }
        let pack = try world.owner.pack
        let streams = [pack.changes(keyPaths: ["age"]), pack.changes(keyPaths: [\.age])]
        let probes = try streams.map { try $0.probe() }
        try await world.edit { owner, dogs in
            dogs[0].name = "x"
            dogs[2].age = 1
            owner.pack.insert(dogs[1])
        }
        for probe in probes { #expect(try probe.nextSummary() == "-[] +[1] ~[1]") }
        try await world.edit { owner, dogs in owner.pack.remove(dogs[0]) }
        for probe in probes { #expect(try probe.nextSummary() == "-[0] +[] ~[]") }
    }

    @Test("N28: live collections and linking objects have the same streams, with text too")
    @MainActor func live() async throws {
        let world = try await RowWorld()
        let live = try await world.realm.live()
        let dog = try #require(live.object(RowDog.self, forPrimaryKey: 0))
        let owner = try #require(live.object(RowOwner.self, forPrimaryKey: 0))
        let linking = try dog.owners.changes(keyPaths: ["name"]).probe()
        let results = live.objects(RowOwner.self)
        let rows = try [results.changes(keyPaths: ["name"]), results.changes(keyPaths: [\.name])]
            .map { try $0.probe() }
        let pack = try owner.pack.changes(keyPaths: ["age"]).probe()
        let names = try owner.byName.changes(keyPaths: ["age"]).probe()
        try await live.write {
            owner.name = "x"
            owner.pack.insert(dog)
            owner.byName["k"] = .some(dog)
        }
        #expect(try linking.nextSummary() == "-[] +[] ~[0]")
        for probe in rows { #expect(try probe.nextSummary() == "-[] +[] ~[0]") }
        #expect(try pack.nextSummary() == "-[] +[0] ~[]")
        #expect(try names.nextSummary() == #"-[] +["k"] ~[]"#)
    }

    @Test("N26: a write inside the loop is allowed and reported afterwards, never lost")
    func writesInTheLoop() async throws {
        let world = try await RowWorld()
        let dogs = world.realm.objects(RowDog.self)
        var counts: [Int] = []
        for try await change in dogs.changes() {
            counts.append(change.collection.count)
            if counts.count == 4 { break }
            let id = 100 + counts.count
            try await world.realm.write { tx in try tx.create(RowDog.self, value: ["id": id]) }
        }
        #expect(counts == [3, 4, 5, 6])
    }

    /// Too much had been written for the edits to be kept: the values were compared as those of a
    /// list, and a key whose value had moved to another key was left out.
    @Test func theEntriesOfAMapAreComparedByKeyWhereTheEditsAreNotKnown() async throws {
        try await withFreshRealm(historyTypes) { realm in
            let rex = try await realm.addDog(1)
            try await realm.editDog(1) { dog in
                for (score, key) in ["a", "b", "c", "e"].enumerated() { dog.scores[key] = score }
            }
            var producer = rex.scores.changes().producer
            _ = try producer.produce(MergedMarks(), at: realm.snapshot())
            try await realm.editDog(1) { dog in
                dog.scores["a"] = 1
                dog.scores["b"] = 0
                dog.scores["c"] = nil
                dog.scores["d"] = 2
            }
            let production = try producer.produce(.everything, at: realm.snapshot())
            guard case .element(let change) = production,
                case .update(_, let deletions, let insertions, let modifications) = change
            else {
                Issue.record("expected a change")
                return
            }
            #expect(deletions == ["c"] && insertions == ["d"] && modifications == ["a", "b"])
        }
    }
}
