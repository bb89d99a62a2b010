import Testing

@testable import Storage

// Safety: the bytes of a record are those of a group that is retained meanwhile.

/// The bytes of commit records, as documented.
extension FileFormatTests {
    private static let item = ClassID(0)
    private static let schema = StoreSchema(classes: [
        ClassSchema(
            name: "Item",
            columns: [
                ColumnSchema(name: "number", kind: .int),
                ColumnSchema(name: "text", kind: .string, isNullable: true),
                ColumnSchema(name: "tags", kind: .int, container: .list),
            ])
    ])

    /// The record of a transaction that runs `body` on a tree of two rows.
    private static func record(
        keepsOldValues: Bool, _ body: (WorkingTree) -> Void
    ) -> [UInt8] {
        let tree = WorkingTree(schema: schema, account: NodeAccount())
        for number in 1...2 {
            let key = tree.createRow(item)
            tree.set(.int(Int64(number)), item, key, ColumnID(0))
            tree.set(.string("t\(number)"), item, key, ColumnID(1))
            tree.listAppend(contentsOf: [.int(Int64(number * 10))], item, key, ColumnID(2))
        }
        _ = tree.takeDelta()
        let before = tree.capture(version: Version(1))
        body(tree)
        let delta = tree.takeDelta()
        let group = CommitGroupBuffer()
        let isEncoded: Void? = try? group.append(version: Version(2)) {
            (writer) throws(StorageError) in
            CommitRecord.encode(
                delta, of: tree, before: keepsOldValues ? before.view : nil, author: "me",
                schema: nil, time: 1.5, into: &writer)
        }
        guard isEncoded != nil else { return [] }
        var records = GroupRecords(UnsafeRawBufferPointer(group.payload))
        return (try? records.next()).map { [UInt8]($0.payload) } ?? []
    }

    static let commitRecord = Structure(
        size: 10,
        bytes: record(keepsOldValues: true) { $0.set(.int(3), item, RowKey(0), ColumnID(0)) },
        fields: [
            ("format", [1]), ("flags", [1 | 8]), ("f64", le(1.5.bitPattern)),
            ("what follows", [2] + Array("me".utf8)),
        ])

    @Test func oldValuesStandWhereThePageSays() throws {
        func change(_ tree: WorkingTree) {
            tree.set(.int(7), Self.item, RowKey(0), ColumnID(0))
            tree.listSet(.int(11), at: 0, Self.item, RowKey(0), ColumnID(2))
            tree.delete(Self.item, [RowKey(1)])
        }
        let plain = Self.record(keepsOldValues: false, change)
        let record = Self.record(keepsOldValues: true, change)
        #expect(plain[1] == 1 && record[1] == 1 | 8 | 16)
        #expect(record.dropFirst(2).starts(with: plain.dropFirst(2)))
        func integers(_ value: Int64) -> [UInt8] { Self.le(value) + [1, 0] }
        // The previous number of row 0; of row 1, number, text with its null bit, and list; and the
        // previous list of row 0.
        let text: [UInt8] = [0, 2] + Array("t2".utf8)
        let old = integers(1) + integers(2) + text + [1] + integers(20) + integers(10)
        #expect(Array(record.dropFirst(plain.count)) == Self.le(UInt32(old.count)) + old)
    }
}
