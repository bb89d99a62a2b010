/// Permits applying a record to a tree that lacks the changes of a lost record.
final class ReplayTolerance {
    /// The number of changes that could not be applied.
    var droppedChanges = 0
}

extension CommitRecord {
    /// Applies a record to a tree, for recovery, and to repeat earlier commits after a rollback.
    ///
    /// With a `tolerance`, for salvage: changes that do not fit the tree are skipped and counted.
    static func apply(
        _ bytes: UnsafeRawBufferPointer, to tree: WorkingTree, tolerance: ReplayTolerance? = nil
    ) throws(RecordError) {
        var reader = ByteReader(bytes)
        let header = try Header(&reader)
        guard !header.has(marksFlag) else { throw .malformed("its values are in lost pages") }
        if header.has(schemaFlag) {
            let schema = try SchemaCodec.decode(&reader)
            guard schema.keepsLayout(of: tree.schema) else {
                throw .malformed("a schema that does not continue the one before")
            }
            tree.replay(schema)
        }
        for _ in 0..<(try reader.count(of: 4)) {
            let index = try reader.int()
            guard index < tree.schema.classes.count else { throw .malformed("unknown class") }
            let id = ClassID(index)
            for _ in 0..<(try reader.count(of: 2)) {
                try applyCreated(&reader, id, tree, tolerance)
            }
            for _ in 0..<(try reader.count(of: 3)) {
                try applyTouched(&reader, id, tree, tolerance)
            }
            let deleted = try keys(&reader)
            tree.deferDeletion(id, deleted.map { RowKey($0) })
        }
        if header.has(oldValuesFlag) { _ = try takeOldValues(&reader) }
        guard reader.isAtEnd else { throw .malformed("bytes after the record") }
        tree.deleteDeferred()
    }

    private static func applyCreated(
        _ reader: inout ByteReader, _ id: ClassID, _ tree: WorkingTree,
        _ tolerance: ReplayTolerance?
    ) throws(RecordError) {
        let state = tree.states[id.rawValue]
        guard let first = Int64(exactly: try reader.varint()),
            first <= NodeBounds.keyMax - Int64(Cluster.slotsMax),
            first >= tree.nextKey(id) || tree.reclaimKeys(of: id, from: RowKey(first))
        else { throw .malformed("row key out of order") }
        let count = try reader.int()
        guard (1...Cluster.slotsMax).contains(count) else { throw .malformed("batch size") }
        var scalars: [(column: Int, block: ScalarBlock)] = []
        var containers: [(column: Int, rows: [Elements])] = []
        for (column, schema) in state.schema.columns.enumerated() {
            if schema.container == .none {
                scalars.append(
                    (column, try ScalarBlock(&reader, count: count, schema: schema)))
            } else {
                var rows: [Elements] = []
                for _ in 0..<count { rows.append(try Elements(all: &reader, schema)) }
                containers.append((column, rows))
            }
        }
        for index in 0..<count {
            let key = RowKey(first + Int64(index))
            tree.create(state, key)
            guard let row = tree.writer(id, key) else { continue }
            for (column, block) in scalars { try block.write(index, to: row, column) }
            for (column, rows) in containers where !rows[index].values.isEmpty {
                rows[index].apply(to: tree, id, key, column)
            }
        }
    }

    private static func applyTouched(
        _ reader: inout ByteReader, _ id: ClassID, _ tree: WorkingTree,
        _ tolerance: ReplayTolerance?
    ) throws(RecordError) {
        let state = tree.states[id.rawValue]
        let column = try reader.int()
        guard column < state.schema.columns.count else { throw .malformed("unknown column") }
        let schema = state.schema.columns[column]
        let rows = try keys(&reader)
        if schema.container == .none {
            let block = try ScalarBlock(&reader, count: rows.count, schema: schema)
            for (index, key) in rows.enumerated() {
                guard let row = tree.writer(id, RowKey(key)) else {
                    guard let tolerance else {
                        throw .malformed("a change of a row that does not exist")
                    }
                    tolerance.droppedChanges += 1
                    continue
                }
                try block.write(index, to: row, column)
            }
            return
        }
        for key in rows {
            let count = tree.locate(id, RowKey(key))?.elementCount(column, schema)
            let elements = try Elements(edit: &reader, schema)
            if let count, elements.fit(count) {
                elements.apply(to: tree, id, RowKey(key), column)
            } else if let tolerance {
                tolerance.droppedChanges += 1
            } else {
                throw .malformed(
                    count == nil
                        ? "a change of a row that does not exist" : "an edit beyond the elements")
            }
        }
    }

    static func keys(_ reader: inout ByteReader) throws(RecordError) -> [Int64] {
        var keys: [Int64] = []
        var last: Int64 = 0
        for index in 0..<(try reader.count()) {
            guard let step = Int64(exactly: try reader.varint()) else {
                throw .malformed("row key out of range")
            }
            let (key, overflow) = last.addingReportingOverflow(step)
            guard !overflow, index == 0 || step > 0 else { throw .malformed("keys out of order") }
            keys.append(key)
            last = key
        }
        return keys
    }

    /// The edit of one container with its new elements.
    struct Elements: Sendable {
        let edit: SequenceEdit
        let keys: [String]
        let values: [StoredValue]

        /// A whole container of a created row.
        init(all reader: inout ByteReader, _ schema: ColumnSchema) throws(RecordError) {
            let isMap = schema.container == .map
            let keyCount = isMap ? try reader.int() : 0
            keys = try Elements.keys(&reader, isMap ? keyCount : 0)
            let count = try reader.int()
            guard !isMap || count == keyCount else { throw .malformed("keys without values") }
            values = try ElementBlock.decode(&reader, count: count, schema)
            edit = SequenceEdit(
                deletions: [], insertions: Array(0..<count), modifications: [])
        }

        /// An edit of a container in an existing row.
        init(edit reader: inout ByteReader, _ schema: ColumnSchema) throws(RecordError) {
            let deletions = try CommitRecord.keys(&reader).map { Int($0) }
            let insertions = try CommitRecord.keys(&reader).map { Int($0) }
            let modifications = try CommitRecord.keys(&reader).map { Int($0) }
            edit = SequenceEdit(
                deletions: deletions, insertions: insertions, modifications: modifications)
            let isMap = schema.container == .map
            keys = try Elements.keys(&reader, isMap ? insertions.count : 0)
            values = try ElementBlock.decode(
                &reader, count: insertions.count + modifications.count, schema)
        }

        /// The inverse of an edit whose old elements the record has.
        init(
            reverting edit: SequenceEdit, _ reader: inout ByteReader, _ schema: ColumnSchema
        ) throws(RecordError) {
            guard edit.modifications.last ?? 0 < Int.max / 2 else {
                throw .malformed("an edit beyond the elements")
            }
            self.edit = edit.inverse
            keys = try Elements.keys(
                &reader, schema.container == .map ? edit.deletions.count : 0)
            values = try ElementBlock.decode(
                &reader, count: edit.deletions.count + edit.modifications.count, schema)
        }

        private static func keys(
            _ reader: inout ByteReader, _ count: Int
        ) throws(RecordError) -> [String] {
            try ElementBlock.decode(&reader, count: count, mapKeys).compactMap {
                if case .string(let key) = $0 { key } else { nil }
            }
        }

        /// Whether the edit fits a container with `count` elements.
        func fit(_ count: Int) -> Bool {
            let newCount = count - edit.deletions.count + edit.insertions.count
            return (edit.deletions.last ?? -1) < count && (edit.insertions.last ?? -1) < newCount
                && (edit.modifications.last ?? -1) < newCount
        }

        /// The schema of the keys of a map, as elements.
        private static let mapKeys = ColumnSchema(name: "", kind: .string, container: .set)

        func apply(
            to tree: WorkingTree, _ id: ClassID, _ key: RowKey, _ column: Int,
            marksChange: Bool = true
        ) {
            tree.apply(
                edit, id, key, ColumnID(column), keys: keys, values: values,
                marksChange: marksChange)
        }
    }
}
