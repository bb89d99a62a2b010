/// The values that a commit has replaced, and the rows that it has deleted, as the last part of its
/// record, for the history. Replay skips it.
///
///     u32 length of the rest, in bytes
///     for each changed class, in the order of the record:
///       for each touched column without container, in that order, a block of its old values
///       for each column of the class, a block of the values of the deleted rows
///     with the flag of old elements, for each changed class, in that order:
///       for each touched column with a container, in that order, for each row the elements that
///         its edit has deleted and those that it has modified, for a map after the keys of the
///         former
extension CommitRecord {
    /// `before` is the tree before the commit.
    static func encodeOldValues(
        _ delta: Delta, before: TreeView, into writer: inout PayloadWriter
    ) {
        writer.noteOldValues()
        let start = writer.count
        writer.write(UInt32(0))
        for (id, marks) in delta.changed {
            let view = before.classView(id)
            let columns = view.classSchema.columns
            for (column, schema) in columns.enumerated() where schema.container == .none {
                let rows = rows(marks.touchedRows(column), in: view)
                if !rows.isEmpty { ColumnBlock.encode(rows, column, schema, into: &writer) }
            }
            let deleted = rows(marks.deleted.sorted().map { RowKey($0) }, in: view)
            if deleted.isEmpty { continue }
            for (column, schema) in columns.enumerated() {
                ColumnBlock.encode(deleted, column, schema, into: &writer)
            }
        }
        encodeOldElements(delta, before, into: &writer)
        // A record that exceeds this is refused as a whole.
        let length = UInt32(truncatingIfNeeded: writer.count - start - 4)
        writer.overwrite(length, at: start)
    }

    /// The flags of a record for its old values.
    static func oldValuesFlags(_ delta: Delta, _ schema: StoreSchema) -> UInt8 {
        let hasElements = delta.changed.contains { id, marks in
            schema[id].columns.enumerated().contains { column, schema in
                schema.container != .none && !marks.touchedRows(column).isEmpty
            }
        }
        return hasElements ? oldValuesFlag | oldElementsFlag : oldValuesFlag
    }

    private static func encodeOldElements(
        _ delta: Delta, _ before: TreeView, into writer: inout PayloadWriter
    ) {
        for (id, marks) in delta.changed {
            let view = before.classView(id)
            for (column, schema) in view.classSchema.columns.enumerated()
            where schema.container != .none {
                let keys = marks.touchedRows(column)
                for (key, row) in zip(keys, rows(keys, in: view)) {
                    let id = SequenceID(key: key, column: ColumnID(column))
                    let edit = marks.edits[id] ?? SequenceEdit()
                    ColumnBlock.encodeElements(
                        at: edit.deletions, andWithoutKeys: edit.modificationsBefore, of: row,
                        column, schema, into: &writer)
                }
            }
        }
    }

    /// The locations of rows, which the writer has just read, so they are in memory.
    private static func rows(_ keys: [RowKey], in view: ClassView) -> [RowLocation] {
        var cursor = RowCursor(view, attaching: true)
        return keys.compactMap { cursor.locate($0) }
    }

    /// Splits the old values of a record off, without decoding them.
    static func takeOldValues(_ reader: inout ByteReader) throws(RecordError) -> ByteReader {
        ByteReader(try reader.take(Int(try reader.integer(UInt32.self))))
    }

    /// Decodes the old values of the changes in `classes`.
    static func readOldValues(
        _ reader: inout ByteReader, _ schema: StoreSchema, withElements hasElements: Bool,
        into classes: inout [LoggedClass]
    ) throws(RecordError) {
        for index in classes.indices {
            let columns = schema[classes[index].id].columns
            for touched in classes[index].touched.indices {
                let column = classes[index].touched[touched]
                let schema = columns[column.column.rawValue]
                guard schema.container == .none else { continue }
                let count = column.values.count
                let block = try ScalarBlock(&reader, count: count, schema: schema)
                var values: [StoredValue] = []
                for row in 0..<count { values.append(try block.value(row)) }
                classes[index].touched[touched].oldValues = values
            }
            let count = classes[index].deleted.reduce(0) { $0 + $1.count }
            if count == 0 { continue }
            classes[index].deletedValues = try rows(&reader, count, columns)
        }
        if hasElements { try readOldElements(&reader, schema, into: &classes) }
        guard reader.isAtEnd else { throw .malformed("bytes after the old values") }
    }

    private static func readOldElements(
        _ reader: inout ByteReader, _ schema: StoreSchema, into classes: inout [LoggedClass]
    ) throws(RecordError) {
        for index in classes.indices {
            let columns = schema[classes[index].id].columns
            for touched in classes[index].touched.indices {
                let column = classes[index].touched[touched]
                for edit in column.edits {
                    classes[index].touched[touched].reversals.append(
                        try Elements(
                            reverting: edit, &reader, columns[column.column.rawValue]))
                }
            }
        }
    }
}
