import StorageHarness
import Testing

@testable import Storage

// Safety: the bytes of a record are those of a group that the test holds for as long.

/// The old values in commit records: compared with a model, skipped by replay, and refused if they
/// are inconsistent with the record.
@Suite struct OldValueRecordTests {
    private static let item = ClassID(0)
    private static let schema = StoreSchema(classes: [
        ClassSchema(
            name: "Item",
            columns: [
                ColumnSchema(name: "number", kind: .int, isIndexed: true),
                ColumnSchema(name: "text", kind: .string, isNullable: true),
                ColumnSchema(name: "flag", kind: .bool),
                ColumnSchema(name: "friend", kind: .link, target: item),
                ColumnSchema(name: "any", kind: .mixed),
                ColumnSchema(name: "tags", kind: .string, container: .list),
                ColumnSchema(name: "counts", kind: .int, container: .map),
            ])
    ])

    private func record(
        _ delta: Delta, _ tree: WorkingTree, before: SnapshotRoot
    ) throws -> [UInt8] {
        let group = CommitGroupBuffer()
        try group.append(version: Version(2)) { (writer) throws(StorageError) in
            CommitRecord.encode(
                delta, of: tree, before: before.view, author: nil, schema: nil, time: 1,
                into: &writer)
        }
        var records = GroupRecords(UnsafeRawBufferPointer(group.payload))
        return [UInt8](try #require(try records.next()).payload)
    }

    private func history(_ record: [UInt8]) throws -> LoggedCommit {
        try record.withUnsafeBytes { bytes in
            try CommitRecord.history(bytes, version: Version(2), schema: Self.schema)
        }
    }

    private func values(_ view: SequenceView) -> [StoredValue] {
        (0..<view.count).map { view[$0] }
    }

    /// The contents of a row, according to the tree.
    private func row(_ key: RowKey, in root: SnapshotRoot) -> [ColumnContents]? {
        guard let row = root.view.classView(Self.item).locate(key) else { return nil }
        return Self.schema[Self.item].columns.enumerated().map { column, schema in
            switch schema.container {
            case .none: return .value(row.cluster.value(column, row.slot, schema))
            case .list, .set:
                return .elements(values(row.cluster.sequence(column, row.slot, schema)))
            case .map:
                let map = row.cluster.map(column, row.slot, schema)
                let keys = values(map.keys).compactMap { key -> String? in
                    if case .string(let text) = key { text } else { nil }
                }
                return .entries(keys: keys, values: values(map.values))
            }
        }
    }

    private func change(_ tree: WorkingTree, _ random: inout SeededGenerator, _ keys: [RowKey]) {
        func number() -> Int64 { Int64(random.next() % 1000) }
        for _ in 0..<1 + random.next() % 8 {
            guard random.next() % 3 > 0, let key = keys.randomElement(using: &random),
                tree.locate(Self.item, key) != nil
            else {
                let key = tree.createRow(Self.item)
                tree.set(.int(number()), Self.item, key, ColumnID(0))
                tree.listAppend(contentsOf: [.string("new")], Self.item, key, ColumnID(5))
                continue
            }
            switch random.next() % 8 {
            case 0: tree.set(.int(number()), Self.item, key, ColumnID(0))
            case 1: tree.set(.null, Self.item, key, ColumnID(1))
            case 2: tree.set(.string("\(number())"), Self.item, key, ColumnID(1))
            case 3: tree.set(.bool(number() % 2 == 0), Self.item, key, ColumnID(2))
            case 4:
                tree.set(
                    keys.randomElement(using: &random).map { .link($0) } ?? .null, Self.item, key,
                    ColumnID(3))
            case 5: tree.set(.double(Double(number())), Self.item, key, ColumnID(4))
            case 6:
                tree.listAppend(contentsOf: [.string("\(number())")], Self.item, key, ColumnID(5))
                tree.mapSet(.int(number()), forKey: "\(number())", Self.item, key, ColumnID(6))
            default: tree.delete(Self.item, [key])
            }
        }
    }

    @Test(arguments: testSeeds(4))
    func oldValuesAreThoseOfTheTreeBefore(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let tree = WorkingTree(schema: Self.schema, account: NodeAccount())
        let replica = WorkingTree(schema: Self.schema, account: NodeAccount())
        for _ in 0..<150 {
            let before = tree.capture(version: Version(1))
            let view = before.view.classView(Self.item)
            let keys = (0..<view.count).map { view.key(at: $0) }
            change(tree, &random, keys.filter { _ in random.next() % 4 == 0 })
            let delta = tree.takeDelta()
            let record = try record(delta, tree, before: before)
            try record.withUnsafeBytes { try CommitRecord.apply($0, to: replica) }
            _ = replica.takeDelta()
            let commit = try history(record)
            #expect(commit.hasOldValues)
            guard let entry = commit.classes.first else { continue }
            for touched in entry.touched {
                let column = touched.column.rawValue
                let isContainer = Self.schema[Self.item].columns[column].container != .none
                let old = touched.rows.joined().compactMap { key -> ColumnContents? in
                    row(RowKey(key), in: before)?[column]
                }
                #expect(
                    touched.oldValues.map { .value($0) } == (isContainer ? [] : old),
                    "SEED=\(seed)")
            }
            let expected = entry.deleted.joined().compactMap { row(RowKey($0), in: before) }
            #expect(entry.deletedValues == expected, "SEED=\(seed)")
        }
        // Replay has skipped them.
        let after = tree.capture(version: Version(2))
        let replayed = replica.capture(version: Version(2))
        let count = after.view.classView(Self.item).count
        #expect(count == replayed.view.classView(Self.item).count)
        for position in 0..<count {
            let key = after.view.classView(Self.item).key(at: position)
            #expect(row(key, in: after) == row(key, in: replayed), "SEED=\(seed)")
        }
    }

    @Test func oldValuesThatAreNotWhatTheRecordSaysAreRefused() throws {
        let tree = WorkingTree(schema: Self.schema, account: NodeAccount())
        for number in 0..<4 {
            let key = tree.createRow(Self.item)
            tree.set(.string("\(number)"), Self.item, key, ColumnID(1))
        }
        _ = tree.takeDelta()
        let before = tree.capture(version: Version(1))
        tree.set(.string("x"), Self.item, RowKey(0), ColumnID(1))
        tree.delete(Self.item, [RowKey(2)])
        let record = try record(tree.takeDelta(), tree, before: before)
        var plain = 0
        record.withUnsafeBytes { bytes in
            // Truncated records, and whole ones with additional bytes.
            for count in 0..<record.count {
                #expect(throws: RecordError.self) {
                    try CommitRecord.history(
                        UnsafeRawBufferPointer(rebasing: bytes[..<count]), version: Version(2),
                        schema: Self.schema)
                }
                let replica = WorkingTree(before)
                #expect(throws: RecordError.self) {
                    try CommitRecord.apply(
                        UnsafeRawBufferPointer(rebasing: bytes[..<count]), to: replica)
                }
            }
            plain = record.count
        }
        #expect(throws: RecordError.self) { try history(record + [0]) }
        // A wrong length of the blocks.
        let length = try #require(
            (0..<plain - 4).first { offset in
                let rest = plain - offset - 4
                return record[offset] == UInt8(truncatingIfNeeded: rest)
                    && record[(offset + 1)..<(offset + 4)].allSatisfy { $0 == 0 }
            })
        var longer = record + [0]
        longer[length] += 1
        #expect(throws: RecordError.self) { try history(longer) }
    }
}
