import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// Commits of one group, each version of which is held.
@Suite struct SeenAloneTests {
    private func twin(of key: RowKey, in root: SnapshotRoot) -> Int64? {
        guard let row = root.view.classView(EngineHarness.item).locate(key) else { return nil }
        return row.cluster.int(1, row.slot)
    }

    @Test func eachCommitOfAGroupHasItsOwnVersionWhenAsked() throws {
        for isAsked in [true, false] {
            let writer = try PublishingWriter { classes in
                isAsked && classes() == [EngineHarness.item]
            }
            let (engine, tree) = (writer.engine, writer.engine.tree)
            var key = RowKey(0)
            try writer.commit(.waiting) { key = tree.createRow(EngineHarness.item) }
            try writer.commit(.waiting) { tree.set(.int(7), EngineHarness.item, key, ColumnID(1)) }
            // The changes of a body that throws are not in the versions before it.
            try engine.beginBody()
            tree.set(.int(9), EngineHarness.item, key, ColumnID(1))
            engine.rollBack()
            engine.endBody(nil, waiter: .nobody, successors: .waiting)
            try writer.commit(.none) { tree.delete(EngineHarness.item, [key]) }

            let commits = writer.published
            #expect(commits.count == 3)
            let values = commits.map { commit in commit.root.map { [twin(of: key, in: $0)] } }
            #expect(values == (isAsked ? [[0], [7], [nil]] : [nil, nil, [nil]]))
            let created = commits[0].changeSet().classes[EngineHarness.item]?.created
            #expect(created == (isAsked ? [0..<1] : []))
        }
    }

    /// The row was looked up in the last version of the group, in which it was deleted again: a
    /// subscriber within the group was notified of its deletion instead of its creation.
    @Test func rowsAreLookedUpInTheNextHeldVersion() throws {
        let isAsked = Mutex(false)
        let writer = try PublishingWriter { _ in isAsked.withLock { $0 } }
        let tree = writer.engine.tree
        var key = RowKey(0)
        try writer.commit(.waiting) { key = tree.createRow(EngineHarness.item) }
        isAsked.withLock { $0 = true }
        try writer.commit(.waiting) { tree.set(.int(7), EngineHarness.item, key, ColumnID(1)) }
        try writer.commit(.none) { tree.delete(EngineHarness.item, [key]) }

        let commits = writer.published
        #expect(commits.map { $0.root != nil } == [false, true, true])
        let created = commits.map { $0.changeSet().classes[EngineHarness.item]?.created ?? [] }
        #expect(created == [[0..<1], [], []])
    }
}

/// A writer on a new store, with the commits that it has published.
private struct PublishingWriter {
    let engine: TransactionEngine
    private let commits: Commits

    private final class Commits: Sendable {
        let published = Mutex<[CommitChanges]>([])
    }

    /// The commits published so far.
    var published: [CommitChanges] { commits.published.withLock { $0 } }

    init(isSeenAlone: @escaping @Sendable (_ classes: () -> [ClassID]) -> Bool) throws {
        let opening = StoreOpening(fileSystem: SimulatedDisk(), directory: "alone.realm")
        let opened = try opening.open(account: NodeAccount()) { _ in EngineHarness.schema }
        let commits = Commits()
        self.commits = commits
        engine = TransactionEngine(
            tree: opened.tree, version: opened.version, log: opened.log, appendsInPlace: true,
            isSeenAlone: isSeenAlone,
            publish: { new, makeLatest in
                makeLatest()
                commits.published.withLock { $0 += new }
            })
    }

    func commit(_ successors: TransactionEngine.Successors, _ body: () -> Void) throws {
        try engine.beginBody()
        body()
        let version = try engine.encodeCommit(author: nil, time: 0)
        engine.endBody(version, waiter: .nobody, successors: successors)
    }
}
