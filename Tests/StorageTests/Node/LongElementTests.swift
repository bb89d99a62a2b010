import Testing

@testable import Storage

/// Lists of long values.
@Suite struct LongElementTests {
    private static let item = ClassID(0)
    private static let schema = StoreSchema(classes: [
        ClassSchema(
            name: "Item",
            columns: [ColumnSchema(name: "list", kind: .string, container: .list)])
    ])

    /// Each of them was copied, and as much memory was reserved once more: from 4 GiB on, the
    /// process ended.
    @Test func aLeafThatIsHalvedSharesItsLongValues() throws {
        let account = NodeAccount()
        let tree = WorkingTree(schema: Self.schema, account: account)
        let row = tree.createRow(Self.item)
        var texts = (0..<256).map { number in
            String(repeating: "x", count: number % 3 == 0 ? 20 : 10_000) + "\(number)"
        }
        tree.listAppend(
            contentsOf: texts.map { .string($0) }, Self.item, row, ColumnID(0))
        let added = account.addedBytes
        tree.listInsert(.string("new"), at: 100, Self.item, row, ColumnID(0))
        #expect(account.addedBytes - added < 100_000)
        texts.insert("new", at: 100)
        let location = try #require(tree.view.classView(Self.item).attach(row))
        let list = location.cluster.sequence(
            0, location.slot, Self.schema[Self.item].columns[0])
        #expect((0..<list.count).map { list.string($0) } == texts)
        let empty = WorkingTree(schema: Self.schema, account: account)
        tree.reset(to: empty.capture(version: Version(1)))
        #expect(account.byteCount < 100_000)
    }
}
