import Storage
import Synchronization
import Testing

@testable import RealmActors

/// Streams of single objects among many others of their class.
@Suite struct RowStreamTests {
    /// Commits of other objects filled the buffer, and the stream ended with an overflow.
    @Test func commitsOfOtherObjectsDoNotFillTheBufferOfAnObject() async throws {
        let world = try await RowWorld()
        var changes = try world.dog(0).changes().buffering(.everyVersion(bufferLimit: 2))
            .makeAsyncIterator()
        for age in 1...5 { try await world.edit { _, dogs in dogs[1].age = age } }
        #expect(world.realm.activeVersions.flatMap(\.labels).isEmpty)
        for age in 1...2 { try await world.edit { _, dogs in dogs[0].age = age } }
        for age in 1...2 {
            guard case .change(let dog, let properties)? = try await changes.next() else {
                Issue.record("no change")
                return
            }
            #expect(dog.age == age && properties.map(\.name) == ["age"])
        }
    }

    /// Each commit woke the streams of all objects of its class.
    @Test func aCommitOfAnotherObjectIsNotDue() async throws {
        let world = try await RowWorld()
        let dog = try world.dog(0)
        let own = [dog.changes(), dog.changes(keyPaths: ["age", "name"])]
            .map { $0.makeAsyncIterator() }
        let linked = dog.changes(keyPaths: ["friend.age"]).makeAsyncIterator()
        let hub = world.realm.store.hub
        try await world.edit { _, dogs in dogs[1].age = 1 }
        #expect(hub.backlogs.map { $0.backlog.due }.sorted() == [0, 0, 1])
        try await world.edit { _, dogs in dogs[0].tag = RowTag() }
        #expect(hub.backlogs.map { $0.backlog.due } == [1, 1, 1])
        withExtendedLifetime((own, linked)) {}
    }

    /// Each commit woke the streams of these collections of all objects of the class.
    @Test func aCommitOfAnotherObjectIsNotDueForACollectionOfValues() async throws {
        let world = try await RowWorld()
        let owner = try world.owner
        var numbers = owner.numbers.changes().makeAsyncIterator()
        var pack = owner.pack.changes().makeAsyncIterator()
        _ = try await numbers.next()
        _ = try await pack.next()
        let hub = world.realm.store.hub
        try await world.realm.write { tx in
            _ = try tx.create(RowOwner.self, value: ["id": 1, "numbers": [1]])
        }
        // The objects of a set are watched across their links.
        #expect(hub.backlogs.map { $0.backlog.due }.sorted() == [0, 1])
        try await world.edit { owner, _ in owner.numbers.append(7) }
        #expect(hub.backlogs.map { $0.backlog.due } == [1, 1])
        let change = try await numbers.next()
        #expect(change.map { Array($0.collection) } == [7])
        try await world.deleteOwner()
        let last = try await numbers.next()
        #expect(last?.collection.isEmpty == true)
        let end = try await numbers.next()
        #expect(end == nil)
        withExtendedLifetime(pack) {}
    }

    /// The lists of the object counted as changed too, because of what was written elsewhere.
    @Test func aLargeCommitChangesOnlyWhatItWritesOfTheObject() async throws {
        let world = try await RowWorld()
        try await world.realm.write { tx in _ = try tx.create(RowOwner.self, value: ["id": 1]) }
        var changes = try world.owner.changes().makeAsyncIterator()
        try await world.realm.write { tx in
            tx.object(RowOwner.self, forPrimaryKey: 0)?.name = "x"
            let numbers = tx.object(RowOwner.self, forPrimaryKey: 1)?.numbers
            numbers?.append(contentsOf: 0...PendingMarks.rowLimit)
        }
        guard case .change(let owner, let properties)? = try await changes.next() else {
            Issue.record("no change")
            return
        }
        #expect(owner.name == "x" && properties.map(\.name) == ["name"])
    }

    /// Each stream kept the marks of all rows, which no other stream could share.
    @Test func aStreamOfARowKeepsTheMarksOfThatRowOnly() {
        let written = ColumnSet([ColumnID(1)])
        let rows = (0..<Int64(PendingMarks.rowLimit + 10)).map { (RowKey($0), written) }
        var edit = SequenceEdit()
        edit.insert(at: 0)
        let lists = [3, 4].map { SequenceID(key: RowKey($0), column: ColumnID(1)) }
        let commits = [
            ClassChanges(
                created: [], deleted: [], touched: Dictionary(uniqueKeysWithValues: rows),
                sequenceEdits: [lists[0]: edit, lists[1]: edit]),
            ClassChanges(created: [], deleted: [RowKey(2), RowKey(3)], touched: [:]),
            ClassChanges(created: [0..<9], deleted: [], touched: [:]),
        ]
        var pending = PendingMarks(of: RowKey(3))
        for (number, changes) in commits.enumerated() {
            let commit = ChangeSet(
                version: Version(UInt64(number + 1)), author: nil,
                classes: [ClassID(0): changes])
            _ = pending.note(commit, watched: [ClassID(0)])
            if number == 0 { #expect(pending.count == 2) }
        }
        let marks = pending.merged()
        let own = marks.classes[ClassID(0)]
        #expect(!marks.isEverything && own?.touched == [RowKey(3): written])
        #expect(own?.sequenceEdits == [lists[0]: [edit]])
        #expect(own?.deleted == [RowKey(3)] && own?.created == [3..<4])
        #expect(own?.renewed == [RowKey(3)])
    }

    @Test(arguments: [1, 100])
    func aSubscriberOfARowIsNotifiedOfThatRowOnly(count: Int) {
        let hub = CommitHub<UInt64>(latest: { 0 }, at: { $0.version.rawValue })
        let listeners = (0..<count).map { RowListener(Int64($0)) }
        for listener in listeners { _ = hub.subscribe(listener) }
        #expect(hub.count == count)
        let written = ColumnSet([ColumnID(0)])
        let first = [RowKey(0): written]
        let commits: [(id: Int, changes: ClassChanges)] = [
            (0, ClassChanges(created: [], deleted: [], touched: first)),
            (0, ClassChanges(created: [], deleted: [RowKey(0), RowKey(5)], touched: [:])),
            (0, ClassChanges(created: [-3..<1, 7..<9], deleted: [], touched: [:])),
            (
                0,
                ClassChanges(
                    created: [200..<400], deleted: [RowKey(500)], touched: [RowKey(9): written])
            ),
            (1, ClassChanges(created: [], deleted: [], touched: first)),
        ]
        for (number, commit) in commits.enumerated() {
            let changes = [ClassID(commit.id): commit.changes]
            let version = Version(UInt64(number + 1))
            hub.publish([ChangeSet(version: version, author: nil, classes: changes)]) {}
        }
        #expect(listeners[0].count == 3)
        let others = listeners.indices.dropFirst().filter { listeners[$0].count > 0 }
        #expect(others == (count == 1 ? [] : [5, 7, 8, 9]))
        hub.unsubscribe(listeners[0])
        #expect(hub.count == count - 1)
        hub.end(nil)
        #expect(listeners.map(\.hasEnded) == listeners.indices.map { $0 > 0 })
        #expect(hub.count == 0)
    }

    @Test func aSubscriberOfEachVersionOfARowKeepsCommitsOfItsClassSeparate() {
        let hub = CommitHub<UInt64>(latest: { 0 }, at: { $0.version.rawValue })
        let listeners = (0..<2).map { _ in RowListener(3, receivesEveryVersion: true) }
        for listener in listeners { _ = hub.subscribe(listener) }
        for listener in listeners {
            #expect(hub.deliversEveryVersion { [ClassID(0)] })
            #expect(!hub.deliversEveryVersion { [ClassID(1)] })
            hub.unsubscribe(listener)
        }
        #expect(!hub.deliversEveryVersion { [ClassID(0)] } && hub.count == 0)
    }
}

/// Counts the commits of a row of class 0 that it is notified of.
private final class RowListener: CommitSubscriber {
    let interest: CommitInterest
    let receivesEveryVersion: Bool
    private let state = Mutex((count: 0, hasEnded: false))

    init(_ key: Int64, receivesEveryVersion: Bool = false) {
        interest = .row(RowKey(key), of: ClassID(0))
        self.receivesEveryVersion = receivesEveryVersion
    }

    var count: Int { state.withLock { $0.count } }
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    func committed(_ changes: ChangeSet) -> CommitWaking? {
        state.withLock { $0.count += 1 }
        return nil
    }

    func ended(_ error: RealmError?) { state.withLock { $0.hasEnded = true } }
}
