import Storage
import Testing

@testable import RealmActors

/// The rows of writes that a live realm has rolled back.
@Suite struct RolledBackRowsTests {
    private static let item = ClassID(0)
    private static let schema = StoreSchema(classes: [
        ClassSchema(name: "Item", columns: [ColumnSchema(name: "number", kind: .int)])
    ])

    /// Each row whose deletion was rolled back stayed noted until the realm went, and so did each
    /// write that had created some.
    @Test func whatConcernsRowsThatAreGoneIsForgotten() {
        let tree = WorkingTree(schema: Self.schema, account: NodeAccount())
        let rolledBack = RolledBackRows()
        let kept = tree.createRow(Self.item)
        rolledBack.noteDeleted(Self.item, [kept], at: 1)
        for generation in UInt64(2)..<5_000 {
            let row = tree.createRow(Self.item)
            rolledBack.noteDeleted(Self.item, [row], at: generation)
            rolledBack.noteCreated(
                Self.item, from: tree.rows(Self.item).nextKey, at: generation)
            tree.delete(Self.item, [row])
            rolledBack.sweep { tree.rows($0) }
            #expect(rolledBack.count <= 1_026)
        }
        #expect(rolledBack.contains(Self.item, kept, since: 0))
        #expect(!rolledBack.contains(Self.item, kept, since: 1))
        #expect(rolledBack.contains(Self.item, tree.rows(Self.item).nextKey, since: 5))
    }

    /// Notes between which there are rows stay apart.
    @Test func rowsBetweenWritesThatWereGivenUpAreTold() {
        let tree = WorkingTree(schema: Self.schema, account: NodeAccount())
        let rolledBack = RolledBackRows()
        for generation in UInt64(1)...1_500 {
            rolledBack.noteCreated(
                Self.item, from: tree.rows(Self.item).nextKey, at: generation)
            tree.createRow(Self.item)
            rolledBack.sweep { tree.rows($0) }
        }
        #expect(rolledBack.count == 1_500)
        for (row, generation) in zip((0..<1_500).map { RowKey($0) }, UInt64(1)...1_500) {
            #expect(rolledBack.contains(Self.item, row, since: generation - 1))
            #expect(!rolledBack.contains(Self.item, row, since: generation))
        }
    }
}
