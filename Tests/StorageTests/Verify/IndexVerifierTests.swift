import Foundation
import Synchronization
import Testing

@testable import Storage

// Safety: the tests write into nodes of a tree that only they have, at offsets within them.

/// Indexes and links that are inconsistent with the rows are found.
@Suite struct IndexVerifierTests {
    typealias S = ModelSchema

    @Test func indexesThatDisagreeWithTheRows() throws {
        let damaged = DamagedTree()
        let numbers = damaged.chunk(S.number)
        try damaged.expect(.index, "another value than the row's", in: numbers.node) {
            _ = numbers.storeInt(7, numbers.int(7) + 1)
        }
        let cluster = damaged.cluster()
        try damaged.expect(.index, "null in the row", in: cluster.node) {
            cluster.setBit(S.note, 0, true)
        }
        let leaf = damaged.firstLeaf(S.number)
        try damaged.expect(.index, "a row that is not there", in: leaf.node) {
            leaf.store(9, IndexEntry(key: leaf.key(9), row: 1 << 40))
        }
        try damaged.expect(.index, "another row", in: leaf.node) {
            leaf.store(9, IndexEntry(key: leaf.key(9), row: leaf.row(10)))
        }
    }

    @Test func indexesWithoutAnEntryOrWithOneTooMany() throws {
        for column in [S.number, S.title, S.note, S.uuid] {
            let damaged = DamagedTree(rows: 300)
            let root = damaged.tree.uniqueRoot(S.item)
            let view = ClassView(root: root, id: S.item, schema: S.schema)
            let writer = IndexWriter(
                slot: root.index(column),
                order: IndexOrder(root, view.classSchema.columns[column], column: column),
                account: root.node.account)
            let kind = view.classSchema.columns[column].kind
            let row = view.attach(RowKey(100))!
            let value = row.cluster.value(column, row.slot, S.schema[S.item].columns[column])
            IndexProbe.with(value, in: kind) { #expect(writer.remove($0, row: 100)) }
            var problems = try damaged.verify()
            #expect(
                problems.contains {
                    $0.kind == .index && $0.place.row == RowKey(100)
                        && $0.place.column == ColumnID(column)
                }, "\(problems)")
            IndexProbe.with(value, in: kind) { writer.insert($0, row: 100) }
            #expect(try damaged.verify().isEmpty)
            IndexProbe.with(value, in: kind) { writer.insert($0, row: 100) }
            problems = try damaged.verify()
            #expect(
                !problems.isEmpty && problems.allSatisfy { $0.place.column?.rawValue == column })
        }
    }

    @Test func twoRowsWithOnePrimaryKey() throws {
        let damaged = DamagedTree(rows: 50)
        for _ in 0..<2 {
            let key = damaged.tree.createRow(S.item)
            damaged.tree.writer(S.item, key)?.setInt(S.number, 1_000_000)
        }
        let problems = try damaged.verify()
        #expect(problems.map(\.kind) == [.duplicateKey], "\(problems)")
        #expect(problems[0].place.row == RowKey(51))
    }

    @Test func linksToRowsThatAreNotThere() throws {
        let damaged = DamagedTree(rows: 300)
        damaged.tree.writer(S.item, RowKey(8))?.setLink(S.friend, RowKey(5000))
        damaged.tree.listAppend(
            contentsOf: [.link(RowKey(7000))], S.item, RowKey(9), ColumnID(S.children))
        let problems = try damaged.verify()
        #expect(problems.map(\.kind) == [.link, .link], "\(problems)")
        #expect(Set(problems.map(\.place.row)) == [RowKey(8), RowKey(9)])
    }

    @Test(arguments: [ModelSchema.friend, ModelSchema.children])
    func backlinksThatAreMissingOrTooMany(_ column: Int) throws {
        let damaged = DamagedTree(rows: 300)
        let tree = damaged.tree
        let origin = RowKey(200)
        // The lists of the rows 100 and 200 have the rows 0, 1 and 2.
        let target = column == S.friend ? RowKey(100) : RowKey(1)
        let state = tree.states[0]
        tree.removeBacklink(state, column, target: target, origin: origin)
        let missing = try damaged.verify()
        #expect(missing.map(\.kind) == [.backlink], "\(missing)")
        #expect(missing.first?.place.row == origin)
        tree.addBacklink(state, column, target: target, origin: origin)
        #expect(try damaged.verify().isEmpty)
        tree.addBacklink(state, column, target: target, origin: origin)
        let extra = try damaged.verify()
        #expect(extra.map(\.kind) == [.backlink], "\(extra)")
        tree.removeBacklink(state, column, target: target, origin: origin)
        // As many as before, but not the same.
        tree.removeBacklink(state, column, target: target, origin: origin)
        tree.addBacklink(state, column, target: RowKey(3), origin: origin)
        let moved = try damaged.verify()
        #expect(Set(moved.map(\.kind)) == [.backlink] && moved.count == 2, "\(moved)")
    }

    @Test func verifyingCanBeFollowedAndCancelled() throws {
        let damaged = DamagedTree()
        let steps = Steps()
        let monitor = ReadingMonitor { steps.append($0) }
        let root = damaged.tree.capture(version: Version(1))
        let verifier = StoreVerifier(root, isShared: false, monitor: monitor)
        try verifier.verify()
        #expect(steps.all.count > 10 && steps.all == steps.all.sorted())
        monitor.cancel()
        let cancelled = StoreVerifier(root, isShared: false, monitor: monitor)
        #expect(throws: CancellationError.self) { try cancelled.verify() }
    }

    @Test func theNumberOfKeptProblemsIsLimited() throws {
        let damaged = DamagedTree(rows: 3000)
        let root = damaged.tree.uniqueRoot(S.item)
        root.index(S.title).replace(with: nil)
        let verifier = StoreVerifier(
            damaged.tree.capture(version: Version(1)), isShared: false)
        try verifier.verify()
        #expect(verifier.problemCount == 3000 && verifier.problems.count == 1000)
    }
}

/// The reported progress.
private final class Steps: Sendable {
    private let values = Mutex<[Double]>([])
    func append(_ value: Double) { values.withLock { $0.append(value) } }
    var all: [Double] { values.withLock { $0 } }
}
