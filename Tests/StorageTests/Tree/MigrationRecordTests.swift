import Testing

@testable import Storage

// Safety: the bytes of a record are those of a group that the test retains.

/// The record of a migration on a shared log, which has the values: replaying it on the previous
/// tree gives the migrated tree.
@Suite struct MigrationRecordTests {
    private static let item = ClassID(0)
    private static let draft = ClassID(1)
    private static let stored = StoreSchema(classes: [
        ClassSchema(
            name: "Item",
            columns: [
                ColumnSchema(name: "key", kind: .string, isIndexed: true),
                ColumnSchema(name: "number", kind: .int, isIndexed: true),
                ColumnSchema(name: "text", kind: .string, isFullText: true),
                ColumnSchema(name: "friends", kind: .link, container: .list, target: item),
                ColumnSchema(name: "flag", kind: .bool),
            ], primaryKey: ColumnID(0)),
        ClassSchema(
            name: "Draft", columns: [ColumnSchema(name: "owner", kind: .link, target: item)]),
    ])
    /// The primary key has another type, one property has another name, one is now optional, two
    /// are removed, one is added, and the class of drafts is removed.
    private static let models = StoreSchema(
        classes: [
            ClassSchema(
                name: "Item",
                columns: [
                    ColumnSchema(name: "key", kind: .int, isIndexed: true),
                    ColumnSchema(name: "count", kind: .int, isIndexed: true),
                    ColumnSchema(name: "flag", kind: .bool, isNullable: true),
                    ColumnSchema(name: "tags", kind: .string, container: .list),
                ], primaryKey: ColumnID(0))
        ], version: 1)

    /// Rows of both classes, in several clusters, each with links to the previous two.
    private func fill(_ tree: WorkingTree) -> [RowKey] {
        var keys: [RowKey] = []
        for number in 0..<600 {
            let key = tree.createRow(Self.item)
            tree.set(.string("k\(number)"), Self.item, key, ColumnID(0))
            tree.set(.int(Int64(number % 7)), Self.item, key, ColumnID(1))
            tree.set(.string("number \(number)"), Self.item, key, ColumnID(2))
            tree.set(.bool(number.isMultiple(of: 2)), Self.item, key, ColumnID(4))
            let friends = keys.suffix(2).map { StoredValue.link($0) }
            tree.listAppend(contentsOf: friends, Self.item, key, ColumnID(3))
            keys.append(key)
        }
        for key in keys.prefix(3) {
            tree.set(.link(key), Self.draft, tree.createRow(Self.draft), ColumnID(0))
        }
        _ = tree.takeDelta()
        return keys
    }

    /// Changes rows as a migration does; returns the final schema.
    private func migrate(_ tree: WorkingTree, _ rows: [RowKey]) throws -> StoreSchema {
        var plan = SchemaPlan(
            stored: Self.stored, models: Self.models, renames: ["Item": ["number": "count"]])
        tree.adapt(to: plan.working)
        #expect(plan.transfers.count == 1)
        tree.transfer(plan.transfers, of: Self.item)
        let key = try #require(plan.working[Self.item].column(named: "key"))
        let tags = try #require(plan.working[Self.item].column(named: "tags"))
        tree.forEachCluster(Self.item) { keys in
            for row in keys {
                tree.set(.int(row.rawValue * 3), Self.item, row, key)
                if row.rawValue.isMultiple(of: 5) {
                    tree.listAppend(contentsOf: [.string("a"), .string("b")], Self.item, row, tags)
                }
            }
        }
        tree.delete(Self.item, [rows[1], rows[5], rows[400]])
        let made = tree.createRow(Self.item)
        tree.set(.int(-1), Self.item, made, key)
        tree.listAppend(contentsOf: [.string("new")], Self.item, made, tags)
        var drafts: [RowKey] = []
        tree.forEachCluster(Self.draft) { drafts += $0 }
        tree.delete(Self.draft, drafts)
        plan.remove(Self.draft)
        for (id, columns) in Dictionary(grouping: plan.removed, by: \.id) {
            tree.clear(id, columns.map(\.column))
        }
        tree.adapt(to: plan.target)
        return plan.target
    }

    @Test func replayingItMakesTheSameTree() throws {
        let tree = WorkingTree(schema: Self.stored, account: NodeAccount())
        let rows = fill(tree)
        let target = try migrate(tree, rows)
        let delta = tree.takeDelta()
        let after = tree.capture(version: Version(2))
        let group = CommitGroupBuffer()
        try group.append(version: Version(2)) { (writer) throws(StorageError) in
            CommitRecord.encode(
                delta, of: tree, author: "migration", schema: target, time: 1, into: &writer)
        }
        // Two trees that began with one snapshot would append to the same nodes.
        let replayed = WorkingTree(schema: Self.stored, account: NodeAccount())
        _ = fill(replayed)
        var records = GroupRecords(UnsafeRawBufferPointer(group.payload))
        while let record = try records.next() {
            try CommitRecord.apply(record.payload, to: replayed)
        }
        #expect(replayed.schema == target && replayed.count(Self.item) == 598)
        let found = replayed.capture(version: Version(2))
        #expect(TreeDifference.between(found, after).isEmpty)
        for root in [after, found] {
            let verifier = StoreVerifier(root, isShared: false)
            try verifier.verify()
            #expect(verifier.problems == [])
        }
    }
}
