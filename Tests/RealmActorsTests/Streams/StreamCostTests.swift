import Foundation
import Storage
import StorageHarness
import Testing

@testable import RealmActors

/// What a stream costs between requests, and when it ends.
@Suite struct StreamCostTests {
    @Test("Coalescing: a waiting subscriber holds no version of the realm")
    func noVersion() async throws {
        let world = try await RowWorld()
        let dogs = world.realm.objects(RowDog.self).changes()
        let sorted = world.realm.objects(RowDog.self).sorted(by: \.age).changes()
        var streams = [dogs.makeAsyncIterator(), sorted.makeAsyncIterator()]
        for index in streams.indices { _ = try await streams[index].next() }
        let object = try Self.stream(world)
        for age in 0..<20 { try await world.edit { _, dogs in dogs[0].age = age } }
        let newest = world.realm.snapshot().version
        // Streams that were never iterated and streams that wait hold none of the twenty.
        #expect(world.realm.activeVersions.allSatisfy { $0.version == newest })
        withExtendedLifetime(object) {}
    }

    private static func stream(_ world: RowWorld) throws -> ObjectChanges<RowOwner>.AsyncIterator {
        try world.owner.changes().makeAsyncIterator()
    }

    /// The stream watches that class, only to end when the object is deleted.
    @Test("Groups of an inverse are not evaluated again for commits of the class it belongs to")
    func groupsOfAnInverse() async throws {
        let world = try await RowWorld()
        let owners = try world.dog(0).owners
        let former = world.realm.snapshot()
        let path = owners._plan.orderedPath(["name"])
        var tracker = GroupTracker(owners.query, by: path, [])
        tracker.reset(in: former.view)
        try await world.deleteOwner()
        let present = world.realm.snapshot()
        let dogs = world.realm.objects(RowDog.self).query.classID
        let touched = ClassChanges(
            created: [], deleted: [], touched: [RowKey(0): ColumnSet([ColumnID(0)])])
        var marks = MergedMarks()
        marks.add([dogs: touched])
        tracker.update(marks, in: present.view)
        #expect(tracker.table.sizes == [1])
        marks.add([owners.query.classID: touched])
        tracker.update(marks, in: present.view)
        #expect(tracker.table.sizes.isEmpty)
        withExtendedLifetime((former, present)) {}
    }

    @Test("Coalescing: what a sleeping subscriber keeps is bounded, however many commits there are")
    func bounded() {
        var pending = PendingMarks()
        for version in 0..<200_000 {
            let row = RowKey(Int64(version % 100))
            let changes = ClassChanges(
                created: [], deleted: [], touched: [row: ColumnSet([ColumnID(0)])])
            _ = pending.note(
                ChangeSet(
                    version: Version(UInt64(version)), author: nil,
                    classes: [ClassID(0): changes]),
                watched: [ClassID(0)])
        }
        let merged = pending
        #expect(merged.merged().weight == 100)
        pending = PendingMarks()
        for version in 0..<200_000 {
            let first = Int64(version * 2)
            let changes = ClassChanges(created: [first..<first + 1], deleted: [], touched: [:])
            _ = pending.note(
                ChangeSet(
                    version: Version(UInt64(version)), author: nil,
                    classes: [ClassID(0): changes]),
                watched: [ClassID(0)])
        }
        #expect(pending.merged().isEverything)
    }

    @Test("Coalescing: the state of a sleeping subscriber stays constant, whatever is committed")
    func constant() {
        let column = ColumnSet([ColumnID(0)])
        let list = SequenceID(key: RowKey(0), column: ColumnID(0))
        let edit = SequenceEdit(
            deletions: [], insertions: Array(0..<2_000), modifications: [])
        let kinds: [(name: String, changes: (Int64) -> ClassChanges)] = [
            ("touched", { .init(created: [], deleted: [], touched: [RowKey($0): column]) }),
            ("created", { .init(created: [2 * $0..<2 * $0 + 1], deleted: [], touched: [:]) }),
            ("many created", { .init(created: [9 * $0..<9 * $0 + 8], deleted: [], touched: [:]) }),
            ("deleted", { .init(created: [], deleted: [RowKey($0)], touched: [:]) }),
            (
                "list",
                { _ in
                    .init(
                        created: [], deleted: [], touched: [RowKey(0): column],
                        sequenceEdits: [list: edit])
                }
            ),
        ]
        for (name, changes) in kinds {
            var pending = PendingMarks()
            var most = 0
            var mostValues = 0
            for version in 0..<70_000 as Range<Int64> {
                let set = ChangeSet(
                    version: Version(UInt64(version)), author: nil,
                    classes: [ClassID(0): changes(version)])
                _ = pending.note(set, watched: [ClassID(0)])
                most = max(most, pending.count)
                if [400, 60_000].contains(version) {
                    mostValues = max(mostValues, Self.valueCount(pending))
                }
            }
            // A mark is no more than a row, its columns and their words.
            #expect(mostValues < 5 * (PendingMarks.rowLimit + PendingMarks.foldLimit), "\(name)")
            #expect(most <= PendingMarks.rowLimit + PendingMarks.foldLimit + 2_001, "\(name)")
            #expect(pending.merged().isEverything, "\(name)")
        }
    }

    /// Each stream had a copy of its own of what hundreds of commits had touched.
    @Test("Coalescing: streams that sleep share what they keep of a commit")
    func shared() throws {
        let changes = ClassChanges(created: [], deleted: [RowKey(1)], touched: [:])
        let commit = ChangeSet(
            version: Version(1), author: nil, classes: [ClassID(0): changes])
        var pending = PendingMarks()
        _ = pending.note(commit, watched: [ClassID(0), ClassID(1)])
        let kept = Mirror(reflecting: pending).descendant("commits", 0, "classes")
        let classes = try #require(kept as? [ClassID: ClassChanges])
        #expect(Self.storage(of: classes) == Self.storage(of: commit.classes))
    }

    /// Tells a dictionary from a copy that has memory of its own.
    private static func storage(of classes: [ClassID: ClassChanges]) -> Int {
        // Unsafe: a dictionary is one reference, which is only compared.
        unsafeBitCast(classes, to: Int.self)
    }

    /// How many values something holds, found without knowing what it is.
    private static func valueCount(_ any: Any) -> Int {
        let children = Mirror(reflecting: any).children
        return children.isEmpty ? 1 : children.reduce(0) { $0 + valueCount($1.value) }
    }

    @Test("Ended at once: losing the iterator, cancelling the task and closing unsubscribe")
    func ended() async throws {
        let world = try await RowWorld()
        let hub = try world.owner.context.snapshot.hub
        let changes = world.realm.objects(RowDog.self).changes()
        func ask() async throws {
            var iterator = changes.makeAsyncIterator()
            #expect(hub.count == 1)
            _ = try await iterator.next()
        }
        try await ask()
        #expect(hub.count == 0)
        let task = Task { for try await _ in changes {} }
        while hub.count == 0 { await Task.yield() }
        task.cancel()
        #expect(hub.count == 0)
        try await task.value
        var late = changes.makeAsyncIterator()
        _ = try await late.next()
        try await world.realm.close()
        #expect(hub.count == 0)
        #expect(try await summary(late.next()) == "end")
    }

    @Test("Proportional: queries are evaluated anew only when a row that decides was touched")
    func affected() async throws {
        let world = try await RowWorld()
        try await world.edit { owner, dogs in owner.employees.append(dogs[1]) }
        let dogs = world.realm.objects(RowDog.self)
        let owner = try world.owner
        let queries = [
            dogs.distinct(by: \.age).query, dogs.limit(2).query, dogs.sorted(by: \.age).query,
            owner.employees.where { $0.age > 3 }.query, owner.employees.sorted(by: \.name).query,
            try world.dog(0).owners.sorted(by: \.name).query,
        ]
        let catcher = MarkCatcher(owner.context.snapshot.hub, world.realm.snapshot())
        func affected() throws -> [Int] {
            let (moment, marks) = try catcher.take()
            return queries.indices.filter { queries[$0].isAffected(by: marks, in: moment.view) }
        }
        let edits: [(@Sendable (RowOwner, [RowDog]) -> Void, [Int])] = [
            ({ _, dogs in dogs[2].name = "x" }, []),
            ({ _, dogs in dogs[2].age = 4 }, [0, 2]),
            ({ _, dogs in dogs[1].age = 4 }, [0, 2, 3]),
            ({ _, dogs in dogs[1].name = "x" }, [3, 4]),
            ({ owner, _ in owner.name = "x" }, [5]),
            ({ owner, dogs in owner.dog = dogs[2] }, [5]),
            ({ owner, dogs in owner.employees.append(dogs[2]) }, [3, 4]),
            ({ owner, dogs in _ = owner.pack.insert(dogs[2]) }, []),
        ]
        for (index, (edit, expected)) in edits.enumerated() {
            try await world.edit { owner, dogs in edit(owner, dogs) }
            #expect(try affected() == expected, "edit \(index)")
        }
        try await world.delete(dog: 2)
        #expect(try affected() == [0, 1, 2, 3, 4, 5])
    }

    @Test("Proportional: a limit is kept by the touched rows until those behind it are used up")
    func limits() async throws {
        let world = try await RowWorld()
        try await world.realm.write { tx in
            try tx.deleteAll(RowDog.self)
            for id in 0..<100 { try tx.create(RowDog.self, value: ["id": id, "age": id * 2]) }
        }
        let query = world.realm.objects(RowDog.self).sorted(by: \.age).limit(3).query
        var limited = try #require(LimitedRows(query))
        let catcher = MarkCatcher(try world.owner.context.snapshot.hub, world.realm.snapshot())
        limited.reset(in: try catcher.take().moment.view)
        // Eight rows behind the limit are known: they make up for as many that leave.
        for turn in 0..<9 {
            try await world.edit { _, dogs in
                dogs[turn].age = 900
                dogs[60].age += 1
            }
            let (moment, marks) = try catcher.take()
            let change = limited.update(marks, in: moment.view)
            if turn < 8 {
                #expect(change == PositionChange(deletions: [0], insertions: [2]))
                #expect(limited.shown.keys == query.evaluate(in: moment.view))
            } else {
                #expect(change == nil)
            }
        }
    }

    @Test("Proportional: a sorted collection finds the places of touched rows only")
    func increments() throws {
        var rope = KeyRope((0..<10_000).map { RowKey(Int64($0 * 2)) })
        var keys = rope.keys
        var random = SeededGenerator()
        for step in 0..<5_000 {
            let position = Int.random(in: 0..<keys.count, using: &random)
            if step % 3 == 0 {
                rope.remove(at: position)
                keys.remove(at: position)
            } else {
                let key = RowKey(Int64(100_000 + step))
                rope.insert(key, at: position)
                keys.insert(key, at: position)
            }
        }
        #expect(rope.keys == keys && rope.count == keys.count, "SEED=\(random.seed)")
        #expect(Array(rope) == keys)
        let wanted = Set(keys.shuffled(using: &random).prefix(9))
        #expect(rope.positions(of: wanted) == keys.indices.filter { wanted.contains(keys[$0]) })
        #expect(keys.indices.allSatisfy { rope[$0] == keys[$0] })
        let sample = keys.indices.filter { $0 % 97 == 0 }
        #expect(rope.keys(at: sample) == sample.map { keys[$0] })
        for limit in [0, 1, 512, 4_000, keys.count] {
            #expect(rope.prefix(limit).keys == Array(keys.prefix(limit)))
        }
        rope.append(contentsOf: keys.prefix(700))
        #expect(rope.keys == keys + keys.prefix(700) && rope.count == keys.count + 700)
        while rope.count > 0 { rope.remove(at: rope.count / 2) }
        #expect(rope.keys.isEmpty)
        rope.insert(RowKey(1), at: 0)
        #expect(rope.keys == [RowKey(1)] && rope[0] == RowKey(1))
    }
}
