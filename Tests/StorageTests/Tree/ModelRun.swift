import Foundation
import StorageHarness
import Testing

@testable import Storage

/// A tree, its model, and a replica that replays the records.
struct ModelRun {
    typealias S = ModelSchema
    let account = NodeAccount()
    let replicaAccount = NodeAccount()
    var tree: WorkingTree?
    var replica: WorkingTree?
    var rows: [RowKey: ModelRow] = [:]
    var snapshots: [(SnapshotRoot, [RowKey: ModelRow])] = []
    /// The commits, and the rows after each.
    var history: [LoggedCommit] = []
    var past: [Version: [RowKey: ModelRow]] = [:]
    var generator: SeededGenerator
    var version = Version.zero
    var nextNumber: Int64 = 0
    var checkpointer: Checkpointer?

    /// A run whose trees are sometimes written to page files.
    init(seed: UInt64, pagesOn fileSystem: any FileSystem) throws {
        self.init(seed: seed)
        try fileSystem.createDirectory("pages")
        let pages = PageStore(fileSystem: fileSystem, directory: "pages", database: .zero)
        account.pages = pages
        checkpointer = Checkpointer(pages: pages, contents: Checkpointer.Contents())
    }

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        tree = WorkingTree(schema: S.schema, account: account)
        replica = WorkingTree(schema: S.schema, account: replicaAccount)
    }

    mutating func random(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

    mutating func text() -> String {
        let length = [0, 3, 12, 13, 40, 255, 256, 900][random(8)]
        let letters = "abc\u{e9}"
        return String((0..<length).map { _ in letters.randomElement(using: &generator)! })
    }

    mutating func transaction() throws {
        guard let tree, let replica else { return }
        let before = tree.capture(version: version)
        let saved = rows
        for _ in 0..<(1 + random(60)) { operation(tree) }
        if random(5) == 0 {
            tree.reset(to: before)
            rows = saved
            check(tree.view, rows, "the tree after undoing")
            return
        }
        version = version.next
        let delta = tree.takeDelta()
        let group = CommitGroupBuffer()
        try group.append(version: version) { (writer) throws(StorageError) in
            CommitRecord.encode(
                delta, of: tree, before: before.view, author: "me", schema: nil, time: 0,
                into: &writer)
        }
        var records = GroupRecords(UnsafeRawBufferPointer(group.payload))
        while let record = try records.next() {
            try CommitRecord.apply(record.payload, to: replica)
            history.append(
                try CommitRecord.history(record.payload, version: version, schema: S.schema))
        }
        past[version] = rows
        _ = replica.takeDelta()
        check(tree.view, rows, "the tree")
        check(replica.view, rows, "the replica")
        for (snapshot, model) in snapshots { check(snapshot.view, model, "a snapshot") }
        for tree in [tree, replica] {
            let verifier = StoreVerifier(tree.capture(version: version), isShared: false)
            try verifier.verify()
            #expect(verifier.problems == [])
        }
        if random(3) == 0 { snapshots.append((tree.capture(version: version), rows)) }
        if snapshots.count > 3 { snapshots.remove(at: random(snapshots.count)) }
    }

    /// Rewinds from the newest commit to a random one, in a separate tree.
    mutating func rewind() throws {
        guard let tree, let target = past.keys.sorted().randomElement(using: &generator) else {
            return
        }
        let latest = tree.capture(version: version)
        var rewind = TreeRewind()
        for commit in history where commit.version > target { rewind.add(commit) }
        #expect(rewind.barrier == nil)
        let old = WorkingTree(latest)
        try rewind.apply(to: old)
        let root = old.capture(version: target, life: 0, rewoundFrom: latest)
        check(root.view, past[target]!, "a version of the past")
        let verifier = StoreVerifier(root, isShared: false)
        try verifier.verify()
        #expect(verifier.problems == [])
        check(tree.view, rows, "the tree beside it")
    }

    mutating func finish(_ seed: String) {
        let live = account.nodeCount
        snapshots = []
        #expect(account.nodeCount <= live)
        tree = nil
        replica = nil
        #expect(account.nodeCount == 0, "\(seed)")
        #expect(account.byteCount == 0, "\(seed)")
        #expect(replicaAccount.nodeCount == 0, "\(seed)")
    }
}
