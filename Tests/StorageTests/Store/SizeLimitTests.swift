import Foundation
import StorageHarness
import Testing

@testable import Storage

/// Values over 1 GiB were accepted and could not be read after the next opening; a record over 4
/// GiB was refused, but the changes of its transaction were published by the next commit. The
/// limits are small here.
@Suite struct SizeLimitTests {
    private static let schema = StoreSchema(classes: [
        ClassSchema(
            name: "Item",
            columns: [
                ColumnSchema(name: "number", kind: .int),
                ColumnSchema(name: "text", kind: .string, isIndexed: true),
                ColumnSchema(name: "data", kind: .data, isNullable: true),
                ColumnSchema(name: "mixed", kind: .mixed),
                ColumnSchema(name: "list", kind: .string, container: .list),
                ColumnSchema(name: "map", kind: .data, container: .map),
            ], primaryKey: ColumnID(0))
    ])
    private static let item = ClassID(0)

    private let disk = SimulatedDisk()

    private func open(_ account: NodeAccount, hasPages: Bool = true) throws -> TransactionEngine {
        var opening = StoreOpening(fileSystem: disk, directory: "store.realm")
        opening.options = .small
        let opened = try opening.open(account: account) { _ in Self.schema }
        return TransactionEngine(
            tree: opened.tree, version: opened.version, log: opened.log, appendsInPlace: true,
            checkpoints: hasPages ? CheckpointSchedule(opened, policy: .manual) : nil,
            publish: { _, makeLatest in makeLatest() })
    }

    private func write(_ engine: TransactionEngine, _ body: (WorkingTree) -> Void) throws {
        try engine.beginBody()
        body(engine.tree)
        let commit: Version?
        do {
            commit = try engine.encodeCommit(author: nil, time: 0)
        } catch {
            engine.endBody(nil, waiter: .nobody)
            throw error
        }
        engine.endBody(commit, waiter: .nobody)
    }

    private func numbers(_ engine: TransactionEngine) -> [Int64] {
        let view = engine.latest.view.classView(Self.item)
        return (0..<view.count).map { position in
            let row = view.row(at: position)
            return row.cluster.int(0, row.slot)
        }
    }

    private func add(_ number: Int64, to tree: WorkingTree) -> RowKey {
        let key = tree.createRow(Self.item)
        tree.set(.int(number), Self.item, key, ColumnID(0))
        return key
    }

    @Test(arguments: 0..<5)
    func aValueThatIsTooLargeIsRefusedWithItsTransaction(_ place: Int) throws {
        let engine = try open(NodeAccount(valueBytesMax: 1000))
        try write(engine) { tree in _ = add(1, to: tree) }
        let large = String(repeating: "x", count: 1001)
        let error = #expect(throws: StorageError.self) {
            try write(engine) { tree in
                let key = add(2, to: tree)
                switch place {
                case 0: tree.set(.string(large), Self.item, key, ColumnID(1))
                case 1: tree.set(.data(Data(large.utf8)), Self.item, key, ColumnID(2))
                case 2: tree.set(.string(large), Self.item, key, ColumnID(3))
                case 3: tree.listInsert(.string(large), at: 0, Self.item, key, ColumnID(4))
                default:
                    tree.mapSet(.data(Data(large.utf8)), forKey: "k", Self.item, key, ColumnID(5))
                }
            }
        }
        #expect(error?.description.contains("over the limit of 1000") == true)
        #expect(numbers(engine) == [1])
        // The next commit contains nothing of it.
        try write(engine) { tree in
            let key = add(3, to: tree)
            tree.set(
                .string(String(repeating: "y", count: 1000)), Self.item, key, ColumnID(1))
        }
        #expect(numbers(engine) == [1, 3])
        try engine.log.close()
        let reopened = try open(NodeAccount(valueBytesMax: 1000))
        #expect(numbers(reopened) == [1, 3])
        #expect(try reopened.verify(ReadingMonitor()).problems == [])
    }

    @Test(arguments: [true, false])
    func aTooLargeRecordIsRolledBack(_ isOfOneValue: Bool) throws {
        let engine = try open(NodeAccount(recordBytesMax: 4000), hasPages: false)
        try write(engine) { tree in _ = add(1, to: tree) }
        let error = #expect(throws: StorageError.self) {
            try write(engine) { tree in
                tree.set(.int(10), Self.item, RowKey(0), ColumnID(0))
                for number in 2..<(isOfOneValue ? 3 : 103) {
                    let key = add(Int64(number), to: tree)
                    let text = String(repeating: "x", count: isOfOneValue ? 4001 : 60)
                    tree.set(.string(text), Self.item, key, ColumnID(1))
                }
            }
        }
        #expect(error?.description.contains("limit of 4000 bytes") == true)
        #expect(engine.failure == nil)
        #expect(numbers(engine) == [1])
        try write(engine) { tree in _ = add(2000, to: tree) }
        #expect(numbers(engine) == [1, 2000])
        try engine.log.close()
        #expect(numbers(try open(NodeAccount())) == [1, 2000])
    }
}
