import Foundation
import StorageHarness
import Testing

@testable import RealmActors
@testable import Storage

/// Streams where a relaxed store has lost commits, and gives the keys of their rows to others.
@Suite struct LostRowTests {
    /// A realm that has lost the commit of a cat, whose row is another cat's by now, and the
    /// version that had it.
    private struct Loss {
        let realm: Realm
        let snapshot: Snapshot
        let cat: Frozen<LiveCat>
    }

    /// A realm with one cat that a crash leaves, and its disk.
    private static func relaxed() async throws -> (realm: Realm, disk: SimulatedDisk) {
        let disk = SimulatedDisk()
        var configuration = Realm.Configuration(
            path: "/lost-row-\(UUID().uuidString).realm", objectTypes: [LiveCat.self],
            durability: .relaxed(every: .seconds(3600)), writeTimeout: nil)
        configuration.fileSystem = disk
        let realm = try await Realm.open(configuration)
        try await add(1, to: realm)
        try sync(realm)
        return (realm, disk)
    }

    private static func sync(_ realm: Realm) throws {
        try (realm.store.engine.log as? Log)?.sync()
    }

    private static func lose() async throws -> Loss {
        let (realm, disk) = try await relaxed()
        try await add(10, to: realm)
        let snapshot = realm.snapshot()
        let cat = try #require(snapshot.objects(LiveCat.self).last)
        #expect(cat.number == 10)
        disk.crash(seed: 1, .nothing)
        try await realm.reopen()
        // One more than was lost, so that the number of the version does not show the loss.
        for number in 20...21 { try await add(number, to: realm) }
        #expect(realm.objects(LiveCat.self).map(\.number) == [1, 20, 21])
        return Loss(realm: realm, snapshot: snapshot, cat: cat)
    }

    private static func add(_ number: Int, to realm: Realm) async throws {
        try await realm.write { tx in try tx.create(LiveCat.self, value: ["number": number]) }
    }

    /// Adds a cat with the first cat as its kitten.
    private static func addParent(_ number: Int, to realm: Realm) async throws {
        try await realm.write { tx in
            let cat = try tx.create(LiveCat.self, value: ["number": number])
            cat.kittens.append(try #require(tx.object(LiveCat.self, forPrimaryKey: 1)))
        }
    }

    /// What differs between two versions.
    private static func marks(from former: Snapshot, to present: Snapshot) -> MergedMarks {
        var marks = MergedMarks()
        marks.add(CommitChanges(from: former.root, to: present.root).changeSet().classes)
        return marks
    }

    /// It reported what had become of the other object in its row.
    @Test("S8: the stream of an object throws whose row is another one's")
    func theStreamOfAnObjectThrowsWhoseRowIsAnotherOnes() async throws {
        let loss = try await Self.lose()
        var changes = loss.cat.changes().makeAsyncIterator()
        let error = await #expect(throws: RealmError.self) { try await changes.next() }
        #expect(error?.description.contains("rolled back") == true)
        try await loss.realm.close()
    }

    /// As in a process that follows the store, which receives the loss as one change.
    @Test("S7, N4: an object that is lost while it is watched is deleted")
    func aRunningStreamOfAnObjectThatWasLostEnds() async throws {
        let loss = try await Self.lose()
        var producer = try ObjectProducer(loss.cat, [])
        _ = producer.begin(at: loss.snapshot)
        let present = loss.realm.snapshot()
        let marks = Self.marks(from: loss.snapshot, to: present)
        guard case .last(.deleted) = try producer.produce(marks, at: present) else {
            Issue.record("The object is another one's")
            return
        }
        try await loss.realm.close()
    }

    /// It began with the list of the other object.
    @Test("N21: the stream of a list whose object was lost has ended")
    func theStreamOfAListWhoseObjectWasLostHasEnded() async throws {
        let loss = try await Self.lose()
        var changes = loss.cat.kittens.changes().makeAsyncIterator()
        #expect(summary(try await changes.next()) == "end")
        try await loss.realm.close()
    }

    /// Those of sections and groups ended without a last element, so that a consumer kept showing
    /// what is lost.
    @Test("S7: the streams of a list's queries end with nothing left when its object was lost")
    func theStreamsOfQueriesOfAListWhoseObjectWasLostEndWithNothingLeft() async throws {
        let (realm, disk) = try await Self.relaxed()
        try await Self.addParent(10, to: realm)
        let snapshot = realm.snapshot()
        let cat = try #require(snapshot.objects(LiveCat.self).last)
        let kittens = cat.kittens.where { $0.number > 0 }
        let sectioned = kittens.sectioned(by: \.age)
        var results = kittens.changes().producer
        var sections = sectioned.changes().producer
        var section = sectioned[0].changes().producer
        var groups = kittens.grouped(by: \.age).changes(.count).producer
        _ = try results.produce(MergedMarks(), at: snapshot)
        _ = try sections.produce(MergedMarks(), at: snapshot)
        _ = try section.produce(MergedMarks(), at: snapshot)
        _ = try groups.produce(MergedMarks(), at: snapshot)
        disk.crash(seed: 1, .nothing)
        try await realm.reopen()
        for number in 20...21 { try await Self.add(number, to: realm) }
        let present = realm.snapshot()
        let marks = Self.marks(from: snapshot, to: present)
        guard case .last(let rows) = try results.produce(marks, at: present),
            case .last(let all) = try sections.produce(marks, at: present),
            case .last(let one) = try section.produce(marks, at: present),
            case .last(let none) = try groups.produce(marks, at: present)
        else {
            Issue.record("A stream continues, or ends without its last element")
            return
        }
        #expect(summary(rows) == "-[0] +[] ~[]" && rows.collection.isEmpty)
        #expect(all.deletedSections == [0] && all.collection.isEmpty)
        #expect(summary(one) == "-[0] +[] ~[]" && one.collection.isEmpty)
        #expect(none.isEmpty)
        try await realm.close()
    }

    /// They stayed open, and empty, until as many commits had followed as were lost.
    @Test("N21: the streams of a lost object's list and of its queries end at once")
    func theStreamsOfQueriesOfAListWhoseObjectWasLostEndAtOnce() async throws {
        let (realm, disk) = try await Self.relaxed()
        try await Self.addParent(10, to: realm)
        let snapshot = realm.snapshot()
        let cat = try #require(snapshot.objects(LiveCat.self).last)
        let kittens = cat.kittens.where { $0.number > 0 }
        var running = kittens.changes().producer
        _ = try running.produce(MergedMarks(), at: snapshot)
        disk.crash(seed: 1, .nothing)
        try await realm.reopen()
        let present = realm.snapshot()
        // Versions that are not lower are tested above.
        #expect(present.root.version < snapshot.root.version)
        let marks = Self.marks(from: snapshot, to: present)
        guard case .last(let change) = try running.produce(marks, at: present) else {
            Issue.record("The stream continues, or ends without its last element")
            return
        }
        #expect(summary(change) == "-[0] +[] ~[]")
        var list = cat.kittens.changes().makeAsyncIterator()
        var results = kittens.changes().makeAsyncIterator()
        var groups = kittens.grouped(by: \.age).changes(.count).makeAsyncIterator()
        #expect(summary(try await list.next()) == "end")
        #expect(summary(try await results.next()) == "end")
        #expect(try await groups.next() == nil)
        try await realm.close()
    }

    /// They were those of the other object.
    @Test("S7: what the stream of a list ends with stays empty when its object was lost")
    @MainActor func whatTheStreamOfAListEndsWithStaysEmptyWhenItsObjectWasLost() async throws {
        let (realm, disk) = try await Self.relaxed()
        try await Self.addParent(10, to: realm)
        let snapshot = realm.snapshot()
        let lost = try #require(snapshot.objects(LiveCat.self).last)
        var lists = lost.kittens.changes().producer
        _ = try lists.produce(MergedMarks(), at: snapshot)
        disk.crash(seed: 1, .nothing)
        try await realm.reopen()
        for number in 20...21 { try await Self.addParent(number, to: realm) }
        let present = realm.snapshot()
        let later = try #require(present.object(LiveCat.self, forPrimaryKey: 20))
        // Otherwise nothing can be mistaken.
        #expect(later.reference == lost.reference && later.kittens.count == 1)
        let marks = Self.marks(from: snapshot, to: present)
        guard case .last(let change) = try lists.produce(marks, at: present) else {
            Issue.record("The stream continues, or ends without its last element")
            return
        }
        let list = change.collection
        #expect(summary(change) == "-[0] +[] ~[]" && list.isEmpty)
        #expect(list.sorted(by: \.number).isEmpty && list.where { $0.number > 0 }.isEmpty)
        let live = try await realm.live()
        let thawed: List<LiveCat>? = list.thaw(in: live)
        #expect(thawed == nil)
        try await realm.close()
    }

    /// It was reported as the last one: what comes had always come after all others.
    @Test("N9: an object that a lost commit had deleted is inserted where it was")
    func anObjectThatALostCommitHadDeletedIsInsertedWhereItWas() async throws {
        let (realm, disk) = try await Self.relaxed()
        for number in 2...3 { try await Self.add(number, to: realm) }
        try Self.sync(realm)
        try await realm.write { tx in
            try tx.delete(#require(tx.object(LiveCat.self, forPrimaryKey: 2)))
        }
        let snapshot = realm.snapshot()
        var comparison = try snapshot.objects(LiveCat.self).comparison([])
        let shown = comparison.initial(snapshot)
        #expect(shown?.map(\.number) == [1, 3])
        disk.crash(seed: 1, .nothing)
        try await realm.reopen()
        let present = realm.snapshot()
        let marks = Self.marks(from: snapshot, to: present)
        guard case .element(let change) = comparison.change(marks, present) else {
            Issue.record("The object came back, and nothing was reported")
            return
        }
        #expect(summary(change) == "-[] +[1] ~[]")
        #expect(change.collection.map(\.number) == [1, 2, 3])
        try await realm.close()
    }

    /// The lost object was one that had been modified, its primary key among the rest.
    @Test("O2: a lost object is reported as deleted, and another one as inserted")
    func versionsBeforeAndAfterALossAreCompared() async throws {
        let loss = try await Self.lose()
        let changes = try loss.realm.snapshot().changes(from: loss.snapshot)
        #expect(changes.deletions(of: LiveCat.self).map(\.number) == [10])
        #expect(changes.insertions(of: LiveCat.self).map(\.number) == [20, 21])
        #expect(changes.modifications(of: LiveCat.self).isEmpty)
        try await loss.realm.close()
    }

    /// What is reported when a row was deleted and its key reused before the next element was
    /// requested.
    private struct Renewal {
        let world: RowWorld
        let snapshot: Snapshot
        let dog: Frozen<RowDog>
        var marks = MergedMarks()

        init() async throws {
            world = try await RowWorld()
            snapshot = world.realm.snapshot()
            dog = try world.dog(1)
            let model: ModelBinding = dog.object.__model
            let key: RowKey = dog.object.__key
            marks.add([model.classID: ClassChanges(created: [], deleted: [key], touched: [:])])
            let created = [key.rawValue..<key.rawValue + 1]
            marks.add([model.classID: ClassChanges(created: created, deleted: [], touched: [:])])
        }

        func change(
            _ query: (FrozenResults<RowDog>) -> FrozenResults<RowDog>
        ) throws -> CollectionChange<FrozenResults<RowDog>>? {
            var comparison = try query(snapshot.objects(RowDog.self)).comparison([])
            let shown = comparison.initial(snapshot)
            #expect(shown?.count == 3)
            guard case .element(let change) = comparison.change(marks, snapshot) else { return nil }
            return change
        }
    }

    /// The row stood in the results twice.
    @Test("N9: a key that is given again is a deletion and an insertion", arguments: 0..<3)
    func aKeyThatIsGivenAgainIsADeletionAndAnInsertion(kind: Int) async throws {
        let change = try await Renewal().change { dogs in
            switch kind {
            case 0: dogs
            case 1: dogs.where { $0.id < 9 }
            default: dogs.sorted(by: \.id)
            }
        }
        #expect(summary(change) == "-[1] +[1] ~[]")
        #expect(change?.collection.map(\.id) == [0, 1, 2])
    }

    /// Nothing was reported, as if the object were the same.
    @Test("N9: where rows are compared by their keys it is a modification")
    func whereRowsAreComparedByTheirKeysItIsAModification() async throws {
        let change = try await Renewal().change { $0.distinct(by: \.id) }
        #expect(summary(change) == "-[] +[] ~[1]")
    }

    @Test("N4: the object that had the key before is deleted")
    func theObjectThatHadTheKeyIsDeleted() async throws {
        let renewal = try await Renewal()
        var producer = try ObjectProducer(renewal.dog, [])
        _ = producer.begin(at: renewal.snapshot)
        guard case .last(.deleted) = try producer.produce(renewal.marks, at: renewal.snapshot)
        else {
            Issue.record("The object is another one's")
            return
        }
    }
}
