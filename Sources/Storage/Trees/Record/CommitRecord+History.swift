extension CommitRecord {
    /// Decodes the changes of a record; `schema` is that of the previous version.
    static func history(
        _ bytes: UnsafeRawBufferPointer, version: Version, schema: StoreSchema
    ) throws(RecordError) -> LoggedCommit {
        var reader = ByteReader(bytes)
        let header = try Header(&reader)
        let widened = header.has(schemaFlag) ? try SchemaCodec.decode(&reader) : nil
        let known = widened ?? schema
        let hasValues = !header.has(marksFlag)
        var classes: [LoggedClass] = []
        for _ in 0..<(try reader.count(of: 4)) {
            let index = try reader.int()
            guard index < known.classes.count else { throw .malformed("unknown class") }
            guard index > classes.last?.id.rawValue ?? -1 else {
                throw .malformed("classes out of order")
            }
            let columns = known.classes[index].columns
            var changes = LoggedClass(id: ClassID(index))
            if hasValues {
                try readValues(&reader, columns, into: &changes)
            } else {
                try readMarks(&reader, columns, into: &changes)
            }
            classes.append(changes)
        }
        let hasOldValues = header.has(oldValuesFlag)
        if hasOldValues {
            guard hasValues else { throw .malformed("old values without new ones") }
            var rest = try takeOldValues(&reader)
            try readOldValues(
                &rest, known, withElements: header.has(oldElementsFlag), into: &classes)
        }
        guard reader.isAtEnd else { throw .malformed("bytes after the record") }
        return LoggedCommit(
            version: version, author: header.author, time: header.time, hasValues: hasValues,
            hasOldValues: hasOldValues, classes: classes, schema: widened)
    }

    private static func readValues(
        _ reader: inout ByteReader, _ columns: [ColumnSchema], into changes: inout LoggedClass
    ) throws(RecordError) {
        for _ in 0..<(try reader.count(of: 2)) {
            guard let first = Int64(exactly: try reader.varint()), first < Int64.max - 256 else {
                throw .malformed("row key out of order")
            }
            let count = try reader.int()
            guard (1...Cluster.slotsMax).contains(count) else { throw .malformed("batch size") }
            guard first >= changes.created.last?.upperBound ?? 0 else {
                throw .malformed("row key out of order")
            }
            changes.created.extend(with: first..<(first + Int64(count)))
            changes.createdValues += try rows(&reader, count, columns)
        }
        for _ in 0..<(try reader.count(of: 3)) {
            let column = try reader.int()
            guard column < columns.count else { throw .malformed("unknown column") }
            let keys = try keys(&reader)
            var values: [StoredValue] = []
            var edits: [SequenceEdit] = []
            if columns[column].container == .none {
                let block = try ScalarBlock(&reader, count: keys.count, schema: columns[column])
                for index in keys.indices { values.append(try block.value(index)) }
            } else {
                for _ in keys { edits.append(try Elements(edit: &reader, columns[column]).edit) }
            }
            changes.touched.append(
                LoggedColumn(
                    column: ColumnID(column), rows: try runs(keys), values: values, edits: edits))
        }
        changes.deleted = try runs(try keys(&reader))
    }

    /// Whole rows, a block for each column.
    static func rows(
        _ reader: inout ByteReader, _ count: Int, _ columns: [ColumnSchema]
    ) throws(RecordError) -> [[ColumnContents]] {
        var rows = Array(repeating: [ColumnContents](), count: count)
        for schema in columns {
            if schema.container == .none {
                let block = try ScalarBlock(&reader, count: count, schema: schema)
                for index in rows.indices { rows[index].append(.value(try block.value(index))) }
            } else {
                for index in rows.indices {
                    rows[index].append(try Elements(all: &reader, schema).logged(schema))
                }
            }
        }
        return rows
    }

    private static func readMarks(
        _ reader: inout ByteReader, _ columns: [ColumnSchema], into changes: inout LoggedClass
    ) throws(RecordError) {
        changes.created = try runs(&reader)
        for _ in 0..<(try reader.count(of: 2)) {
            let column = try reader.int()
            guard column < columns.count else { throw .malformed("unknown column") }
            changes.touched.append(
                LoggedColumn(column: ColumnID(column), rows: try runs(&reader), values: []))
        }
        changes.deleted = try runs(&reader)
    }

    private static func runs(_ keys: [Int64]) throws(RecordError) -> [Range<Int64>] {
        guard keys.first ?? 0 >= 0, keys.last ?? 0 < .max else {
            throw .malformed("row key out of range")
        }
        var runs: [Range<Int64>] = []
        for key in keys { runs.extend(with: key) }
        return runs
    }

    private static func runs(_ reader: inout ByteReader) throws(RecordError) -> [Range<Int64>] {
        var runs: [Range<Int64>] = []
        var end: Int64 = 0
        for _ in 0..<(try reader.count(of: 2)) {
            guard let gap = Int64(exactly: try reader.varint()),
                let length = Int64(exactly: try reader.varint()), length > 0
            else { throw .malformed("row key out of range") }
            let (start, isFar) = end.addingReportingOverflow(gap)
            let (stop, isFarther) = start.addingReportingOverflow(length)
            guard !isFar, !isFarther else { throw .malformed("row key out of range") }
            runs.extend(with: start..<stop)
            end = stop
        }
        return runs
    }
}

extension CommitRecord.Elements {
    /// The contents of a created row.
    fileprivate func logged(_ schema: ColumnSchema) -> ColumnContents {
        schema.container == .map ? .entries(keys: keys, values: values) : .elements(values)
    }
}
