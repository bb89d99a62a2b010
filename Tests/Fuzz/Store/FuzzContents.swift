import Foundation

// Safety: record bytes are lent for the length of a call that copies them.

/// A store with every kind of column, and the records that made it.
enum FuzzContents {
    static let schema = StoreSchema(classes: [
        ClassSchema(name: "All", columns: scalars + containers, primaryKey: ColumnID(1)),
        ClassSchema(
            name: "Part", isEmbedded: true,
            columns: [ColumnSchema(name: "size", kind: .int, isNullable: true)]),
    ])

    private static let kinds: [ValueKind] = [
        .bool, .int, .float, .double, .string, .data, .date, .uuid, .mixed, .objectID, .decimal,
    ]

    private static let scalars: [ColumnSchema] =
        kinds.map {
            ColumnSchema(name: "\($0)", kind: $0, isIndexed: $0 != .mixed && $0 != .decimal)
        }
        + kinds.filter { $0 != .mixed }.map {
            ColumnSchema(name: "\($0)?", kind: $0, isNullable: true, isIndexed: $0 == .string)
        } + [
            ColumnSchema(name: "friend", kind: .link, target: ClassID(0)),
            ColumnSchema(name: "part", kind: .link, target: ClassID(1)),
        ]

    private static let containers: [ColumnSchema] =
        [Container.list, .set, .map].flatMap { container in
            [ValueKind.int, .string, .mixed, .bool].map {
                ColumnSchema(name: "\(container) \($0)", kind: $0, container: container)
            } + [
                ColumnSchema(
                    name: "\(container) int?", kind: .int, container: container,
                    isNullable: true),
                ColumnSchema(
                    name: "\(container) link", kind: .link, container: container,
                    target: ClassID(0)),
            ]
        }

    /// The schema, then a few rows, then changes to them, then deletions, then both once more with
    /// what was there before.
    static let records: [[UInt8]] = {
        let tree = WorkingTree(schema: StoreSchema(), account: NodeAccount())
        var records: [[UInt8]] = []
        tree.adapt(to: schema)
        records.append(take(tree, schema))
        for number in 0..<4 { addRow(tree, number) }
        records.append(take(tree, nil))
        change(tree)
        records.append(take(tree, nil))
        tree.delete(ClassID(0), [RowKey(1)])
        records.append(take(tree, nil))
        let before = tree.capture(version: Version(1))
        change(tree)
        tree.delete(ClassID(0), [RowKey(3)])
        records.append(take(tree, nil, before: before))
        return records
    }()

    private static func take(
        _ tree: WorkingTree, _ schema: StoreSchema?, before: SnapshotRoot? = nil
    ) -> [UInt8] {
        let delta = tree.takeDelta()
        let group = CommitGroupBuffer()
        let isEncoded: Void? = try? group.append(version: Version(1)) {
            (writer) throws(StorageError) in
            CommitRecord.encode(
                delta, of: tree, before: before?.view, author: schema == nil ? "me" : nil,
                schema: schema, time: 1, into: &writer)
        }
        precondition(isEncoded != nil)
        var records = GroupRecords(UnsafeRawBufferPointer(group.payload))
        guard let record = try? records.next() else { return [] }
        return [UInt8](record.payload)
    }

    private static func value(_ kind: ValueKind, _ number: Int) -> StoredValue {
        switch kind {
        case .bool: .bool(number % 2 == 0)
        case .int: .int(Int64(number * 1000))
        case .float: .float(Float(number))
        case .double: .double(Double(number))
        case .string: .string(String(repeating: "s", count: number * number * 10))
        case .data: .data(Data(repeating: UInt8(number), count: number * 7))
        case .date: .date(Double(number))
        case .objectID: .objectID(ObjectIDBits(high: 5, low: UInt32(number)))
        case .decimal:
            .decimal(DecimalBits(isNegative: false, coefficient: UInt128(number), exponent: -2))
        case .uuid: .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, UInt8(number))))
        case .link: .link(RowKey(Int64(number)))
        case .mixed: .object(ClassID(0), RowKey(Int64(number)))
        }
    }

    private static func addRow(_ tree: WorkingTree, _ number: Int) {
        let key = tree.createRow(ClassID(0))
        let part = tree.createRow(ClassID(1))
        for (index, column) in schema[ClassID(0)].columns.enumerated() {
            let id = ColumnID(index)
            let value = value(column.kind, number)
            switch column.container {
            case .none:
                let link = column.target == ClassID(1) ? StoredValue.link(part) : value
                tree.set(link, ClassID(0), key, id)
            case .list:
                tree.listAppend(contentsOf: [value, value], ClassID(0), key, id)
            case .set: _ = tree.setInsert(value, ClassID(0), key, id)
            case .map: tree.mapSet(value, forKey: "k\(number)", ClassID(0), key, id)
            }
        }
    }

    private static func change(_ tree: WorkingTree) {
        let key = RowKey(2)
        for (index, column) in schema[ClassID(0)].columns.enumerated() {
            let id = ColumnID(index)
            let value = value(column.kind, 3)
            switch column.container {
            case .none:
                if column.target == ClassID(1) { continue }
                tree.set(column.isNullable ? .null : value, ClassID(0), key, id)
            case .list:
                tree.listInsert(value, at: 1, ClassID(0), key, id)
                tree.listRemove(at: 0, ClassID(0), key, id)
            case .set: _ = tree.setInsert(value, ClassID(0), key, id)
            case .map:
                tree.mapSet(value, forKey: "new", ClassID(0), key, id)
                tree.mapSet(value, forKey: "k2", ClassID(0), key, id)
            }
        }
    }
}
