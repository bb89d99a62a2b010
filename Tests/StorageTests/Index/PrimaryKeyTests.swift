import StorageHarness
import Testing

@testable import Storage

/// Primary keys in any order, looked up while they are pending.
@Suite struct PrimaryKeyTests {
    private static let schema = StoreSchema(classes: [
        ClassSchema(
            name: "Number",
            columns: [ColumnSchema(name: "id", kind: .int, isNullable: true, isIndexed: true)],
            primaryKey: ColumnID(0)),
        ClassSchema(
            name: "Text", columns: [ColumnSchema(name: "id", kind: .string, isIndexed: true)],
            primaryKey: ColumnID(0)),
    ])

    @Test(arguments: [ClassID(0), ClassID(1)], testSeeds(3))
    func keysOutOfOrderAreFoundAtOnce(_ id: ClassID, _ seed: UInt64) {
        let account = NodeAccount()
        do {
            var generator = SeededGenerator(seed: seed)
            let tree = WorkingTree(schema: Self.schema, account: account)
            var rows: [StoredValue: RowKey] = [:]
            func key(_ generator: inout SeededGenerator) -> StoredValue {
                let number = Int64.random(in: -3000...3000, using: &generator)
                if id == ClassID(1) {
                    // Up to ten texts have the same first eight bytes.
                    return .string("key \(10_000 + number / 10) \(number % 10)")
                }
                return number == 7 ? .null : .int(number == 8 ? .min : number)
            }
            for round in 0..<8 {
                let before = tree.capture(version: .zero)
                let saved = rows
                for _ in 0..<Int.random(in: 1...600, using: &generator) {
                    let value = key(&generator)
                    let comment: Comment = "SEED=\(seed), round \(round), \(value)"
                    #expect(tree.find(id, primaryKey: value) == rows[value], comment)
                    if rows[value] == nil {
                        let row = tree.createRow(id)
                        tree.set(value, id, row, ColumnID(0))
                        rows[value] = row
                    } else if Int.random(in: 0..<40, using: &generator) == 0,
                        let row = rows.removeValue(forKey: value)
                    {
                        tree.delete(id, [row])
                    }
                }
                if Int.random(in: 0..<4, using: &generator) == 0 {
                    tree.reset(to: before)
                    rows = saved
                }
                let view = tree.view.classView(id)
                let all = view.range(ColumnID(0), from: .start, to: .end)
                var found: [RowKey] = []
                all.forEach { found.append($0) }
                #expect(found == rows.sorted { $0.key < $1.key }.map(\.value), "SEED=\(seed)")
                for (value, row) in rows { #expect(view.find(value) == row, "SEED=\(seed)") }
            }
        }
        #expect(account.nodeCount == 0)
    }
}
