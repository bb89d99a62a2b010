import Foundation
import StorageHarness
import Testing

@testable import Storage

/// Transactions that find a node which cannot be read: whatever they do, the process survives, the
/// account has failed, and the previous version remains readable.
@Suite struct UnreadableEditTests {
    typealias S = ModelSchema

    /// One kind of operation on a tree whose nodes are on disk.
    struct Work: Sendable, CustomTestStringConvertible {
        let name: String
        /// Whether each failed read of it is one that cannot throw.
        var isSilent = true
        /// Whether it visits most of the tree.
        var isBulk = false
        let body: @Sendable (WorkingTree) -> Void

        var testDescription: String { name }
    }

    /// The rows of the deep tree, and those that have values in every column: in the first cluster,
    /// in the middle, and in the newest.
    private static let rowCount = 4400
    private static let richRows: [Int64] = [3, 2100, 4399]

    /// Each page read of each operation fails once, and then permanently.
    @Test(arguments: works)
    func noUnreadableNodeStopsTheProcess(_ work: Work) throws {
        let (disk, place) = try Self.makeStore()
        let reads = try Self.run(work, disk, place, failing: nil, isLasting: false)
        #expect(reads > 3)
        for call in stride(from: 1, through: reads, by: max(1, reads / (work.isBulk ? 6 : 24))) {
            for isLasting in [false, true] {
                _ = try Self.run(work, disk, place, failing: call, isLasting: isLasting)
            }
        }
    }

    /// Runs the operation, then a part of every other one on the result, and rolls back. Returns
    /// the number of page reads of the operation.
    private static func run(
        _ work: Work, _ disk: SimulatedDisk, _ place: NodePlace, failing call: Int?,
        isLasting: Bool
    ) throws -> Int {
        let account = NodeAccount()
        let pages = PageStore(fileSystem: disk, directory: "pages", database: .zero)
        account.pages = pages
        let root = try pages.load(place, account: .passUnretained(account))
        let before = SnapshotRoot(
            root: root, version: Version(1), schema: S.schema, account: account)
        let tree = WorkingTree(before)
        disk.resetCalls()
        if let call { disk.inject(.init(.inputOutput, call: call, isLasting: isLasting)) }
        work.body(tree)
        let reads = disk.callCount
        if call != nil {
            let hasFailed = account.failure != nil
            #expect(hasFailed || !work.isSilent, "\(work.name), read \(call ?? 0)")
            let first = call ?? 0
            let light = works.filter { !$0.isBulk }
            for next in 0..<3 { light[(first + next) % light.count].body(tree) }
        }
        disk.resetCalls()
        let after = tree.capture(version: Version(2))
        _ = tree.takeDelta()
        tree.reset(to: before)
        withExtendedLifetime(after) { readAll(after.view) }
        readAll(before.view)
        return reads
    }

    /// Reads everything that readers read, without checking it.
    private static func readAll(_ view: TreeView) {
        let items = view.classView(S.item)
        for key in richRows {
            if let row = items.attach(RowKey(key)) { _ = ModelRow(view, row) }
            _ = items.find(.int(key))
        }
        items.range(ColumnID(S.title), equalTo: .string("title 3")).forEach { _ in }
        view.backlinks(to: RowKey(3), origin: S.item, column: ColumnID(S.children)).forEach { _ in }
    }

    private static func makeStore() throws -> (SimulatedDisk, NodePlace) {
        let disk = SimulatedDisk()
        try disk.createDirectory("pages")
        let pages = PageStore(fileSystem: disk, directory: "pages", database: .zero)
        let account = NodeAccount()
        account.pages = pages
        let tree = WorkingTree(schema: S.schema, account: account)
        for number in 0..<rowCount {
            let key = tree.createRow(S.item)
            tree.writer(S.item, key)?.setInt(S.number, Int64(number))
            if number % 40 == 0 { tree.writer(S.item, key)?.setString(S.title, "t\(number % 7)") }
        }
        for key in richRows { enrich(tree, RowKey(key), elements: key == 3 ? 280 : 4) }
        let checkpointer = Checkpointer(pages: pages, contents: Checkpointer.Contents())
        let snapshot = tree.capture(version: Version(1))
        let place = try checkpointer.exclusively { () throws(StorageError) -> NodePlace in
            try checkpointer.write(snapshot).root
        }
        return (disk, place)
    }

    /// Sets a value in every column of a row.
    private static func enrich(_ tree: WorkingTree, _ key: RowKey, elements: Int) {
        if let row = tree.writer(S.item, key) {
            row.setString(S.title, "title \(key.rawValue)")
            row.setDouble(S.score, 1.5)
            row.setBool(S.isActive, true)
            row.setString(S.note, String(repeating: "long ", count: 80))
            row.setUUID(S.uuid, UUID())
            row.setLink(S.friend, RowKey(richRows[0]))
        }
        let part = tree.createRow(S.part)
        tree.set(.link(part), S.item, key, ColumnID(S.owned))
        for index in 0..<elements {
            tree.listInsert(
                .link(RowKey(Int64(index * 15))), at: index, S.item, key, ColumnID(S.children))
            _ = tree.setInsert(.string("tag \(index)"), S.item, key, ColumnID(S.tags))
            tree.mapSet(
                .string("value \(index)"), forKey: "key \(index)", S.item, key,
                ColumnID(S.extras))
        }
    }

    // MARK: The operations

    static let works: [Work] =
        [
            Work(name: "insert") { tree in
                for number in [9000, -5, 9001] {
                    let key = tree.createRow(S.item)
                    tree.writer(S.item, key)?.setInt(S.number, Int64(number))
                    enrich(tree, key, elements: 2)
                }
                tree.flushPending()
            },
            Work(name: "insert many", isBulk: true) { tree in
                for number in 0..<600 {
                    let key = tree.createRow(S.item)
                    tree.writer(S.item, key)?.setInt(S.number, Int64(10_000 - number * 7))
                }
                tree.flushPending()
            },
            Work(name: "update") { tree in
                for key in richRows {
                    enrich(tree, RowKey(key), elements: 1)
                    tree.set(.int(key + 50_000), S.item, RowKey(key), ColumnID(S.number))
                    for column in [S.score, S.note, S.friend] {
                        tree.set(.null, S.item, RowKey(key), ColumnID(column))
                    }
                    _ = tree.find(S.item, primaryKey: .int(key))
                }
                for key in stride(from: Int64(0), to: 4400, by: 300) {
                    tree.set(.int(key << 33), S.item, RowKey(key), ColumnID(S.number))
                    tree.set(.string("x"), S.item, RowKey(key), ColumnID(S.title))
                }
                tree.flushPending()
            },
            Work(name: "delete one") { tree in
                for key in richRows { tree.delete(S.item, [RowKey(key)]) }
            },
            Work(name: "delete some", isBulk: true) { tree in
                tree.delete(S.item, (100..<300).map { RowKey($0) })
                tree.delete(S.item, (4200..<4380).map { RowKey($0) })
            },
            Work(name: "delete most", isBulk: true) { tree in
                tree.delete(S.item, (0..<4400).filter { $0 % 9 != 0 }.map { RowKey($0) })
            },
            Work(name: "delete all", isBulk: true) { tree in
                let rows = tree.view.classView(S.item)
                let count = min(rows.count, rowCount)
                tree.delete(S.item, (0..<count).map { rows.key(at: $0) })
            },
            Work(name: "widen", isBulk: true) { tree in
                var classes = tree.schema.classes
                classes[0].columns.append(
                    ColumnSchema(name: "new", kind: .string, isIndexed: true))
                tree.adapt(to: StoreSchema(classes: classes))
                tree.set(.string("new"), S.item, RowKey(3), ColumnID(11))
                tree.set(.string("new"), S.item, RowKey(4398), ColumnID(11))
                tree.createRow(S.item)
            },
        ] + containerWorks

    private static let containerWorks: [Work] = [
        Work(name: "edit lists") { tree in
            let column = ColumnID(S.children)
            for key in richRows.map({ RowKey($0) }) {
                let last = key.rawValue == 3 ? 279 : 3
                tree.listInsert(.link(key), at: last, S.item, key, column)
                tree.listSet(.link(key), at: 1, S.item, key, column)
                tree.listSet(.link(key), at: last, S.item, key, column)
                tree.listRemove(at: last, S.item, key, column)
                tree.listMove(from: 0, to: last - 1, S.item, key, column)
                tree.listSwap([(1, last - 1)], S.item, key, column)
                tree.listAppend(
                    contentsOf: Array(repeating: .link(key), count: 30), S.item, key, column)
                for _ in 0..<30 { tree.listRemove(at: 2, S.item, key, column) }
                tree.flushPending()
            }
            tree.listRemoveAll(S.item, RowKey(3), column)
            tree.flushPending()
        },
        Work(name: "edit sets") { tree in
            for key in richRows.map({ RowKey($0) }) {
                _ = tree.setInsert(.string("tag 3"), S.item, key, ColumnID(S.tags))
                _ = tree.setInsert(.string("zz"), S.item, key, ColumnID(S.tags))
                _ = tree.setRemove(.string("tag 4"), S.item, key, ColumnID(S.tags))
                _ = tree.setRemove(.string("tag 279"), S.item, key, ColumnID(S.tags))
            }
            tree.setRemoveAll(S.item, RowKey(3), ColumnID(S.tags))
        },
        Work(name: "edit maps") { tree in
            for key in richRows.map({ RowKey($0) }) {
                let column = ColumnID(S.extras)
                tree.mapSet(.int(1), forKey: "key 4", S.item, key, column)
                tree.mapSet(.int(2), forKey: "key 279", S.item, key, column)
                tree.mapSet(.null, forKey: "new", S.item, key, column)
                _ = tree.mapRemove(forKey: "key 200", S.item, key, column)
                _ = tree.mapRemove(forKey: "none", S.item, key, column)
            }
            tree.mapRemoveAll(S.item, RowKey(3), ColumnID(S.extras))
        },
        Work(name: "relocate", isSilent: false) { tree in
            let victims: Set<PageIndex> = [PageIndex.first]
            let root = tree.capture(version: Version(2))
            guard var plan = try? CompactionPlan(root, victims: victims) else { return }
            while !plan.isDone { tree.relocate(&plan, limit: 8) }
        },
    ]
}
