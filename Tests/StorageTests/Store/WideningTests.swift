import Testing

@testable import Storage

@Suite struct WideningTests {
    /// An indexed property was added to a store with rows. The existing rows read as zero and were
    /// not in the new index, so a query for zero found none of them.
    @Test func rowsAreInTheIndexOfAnAddedColumn() {
        let item = ClassID(0)
        let number = ColumnSchema(name: "number", kind: .int, isIndexed: true)
        let added = ColumnSchema(name: "added", kind: .int, isIndexed: true)
        let note = ColumnSchema(name: "note", kind: .string, isNullable: true, isIndexed: true)
        func schema(_ columns: [ColumnSchema]) -> StoreSchema {
            StoreSchema(classes: [
                ClassSchema(name: "Item", columns: columns, primaryKey: ColumnID(0))
            ])
        }
        let tree = WorkingTree(schema: schema([number]), account: NodeAccount())
        let keys = (0..<600).map { value in
            let key = tree.createRow(item)
            tree.set(.int(Int64(value)), item, key, ColumnID(0))
            return key
        }
        tree.delete(item, [keys[3]])
        _ = tree.takeDelta()
        tree.adapt(to: schema([number, added, note]))
        let rest = keys.filter { $0 != keys[3] }
        #expect(tree.view.classView(item).rows(ColumnID(1), equalTo: .int(0)) == rest)
        #expect(tree.view.classView(item).rows(ColumnID(2), equalTo: .null) == rest)
        tree.set(.int(7), item, keys[5], ColumnID(1))
        #expect(tree.view.classView(item).rows(ColumnID(1), equalTo: .int(7)) == [keys[5]])
        #expect(tree.view.classView(item).rows(ColumnID(1), equalTo: .int(0)).count == 598)
    }
}
