import Storage
import Testing

@testable import RealmActors

/// What a live realm keeps of writes that were given up.
@Suite struct UndoneRowsTests {
    private static let item = ClassID(0)
    private static let schema = StoreSchema(classes: [
        ClassSchema(name: "Item", columns: [ColumnSchema(name: "number", kind: .int)])
    ])

    /// Each row whose deletion was given up stayed noted until the realm went, and so did each
    /// write that had created some.
    @Test func whatConcernsRowsThatAreGoneIsForgotten() {
        let tree = WorkingTree(schema: Self.schema, account: NodeAccount())
        let undone = UndoneRows()
        let kept = tree.createRow(Self.item)
        undone.noteDeleted(Self.item, [kept], at: 1)
        for generation in UInt64(2)..<5_000 {
            let row = tree.createRow(Self.item)
            undone.noteDeleted(Self.item, [row], at: generation)
            undone.noteCreated(
                Self.item, from: tree.rows(Self.item).nextKey, at: generation)
            tree.delete(Self.item, [row])
            undone.sweep { tree.rows($0) }
            #expect(undone.count <= 1_026)
        }
        #expect(undone.contains(Self.item, kept, since: 0))
        #expect(!undone.contains(Self.item, kept, since: 1))
        #expect(undone.contains(Self.item, tree.rows(Self.item).nextKey, since: 5))
    }

    /// Notes between which there are rows stay apart.
    @Test func rowsBetweenWritesThatWereGivenUpAreTold() {
        let tree = WorkingTree(schema: Self.schema, account: NodeAccount())
        let undone = UndoneRows()
        for generation in UInt64(1)...1_500 {
            undone.noteCreated(
                Self.item, from: tree.rows(Self.item).nextKey, at: generation)
            tree.createRow(Self.item)
            undone.sweep { tree.rows($0) }
        }
        #expect(undone.count == 1_500)
        for (row, generation) in zip((0..<1_500).map { RowKey($0) }, UInt64(1)...1_500) {
            #expect(undone.contains(Self.item, row, since: generation - 1))
            #expect(!undone.contains(Self.item, row, since: generation))
        }
    }
}
