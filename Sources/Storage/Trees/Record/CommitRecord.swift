/// The payload of a commit in the log: the changes of a transaction, with the new values.
///
///     u8  format, 1
///     u8  flags: 1 author, 2 schema, 4 marks only, 8 old values, 16 those of collections, too
///     f64 time of the commit, in seconds since 1970
///     [string author] [schema]
///     varint classes, then for each:
///       varint class
///       varint batches of created rows, for each: varint first key, varint rows (keys ascend by
///         one), then per column of the class a block
///       varint touched columns, for each: varint column, varint rows, their keys (the first, then
///         differences), then a block, or per row an edit with the elements that came
///       varint deleted rows, their keys likewise
///     [old values]
///
/// A record of only marks is that of a page commit, whose tree is in the page files
/// (``GroupTree``): it has the changed rows and columns without values. Runs are a varint count,
/// then for each run varint first key minus the end of the previous run, varint keys. For each
/// changed class:
///
///       varint class
///       runs of created rows
///       varint touched columns, for each: varint column, runs of rows
///       runs of deleted rows
///
/// Replay applies the record literally: links that a deletion made null are contained as such. Rows
/// that the transaction both created and deleted are not contained, and processes that only apply
/// the record use their keys for other rows.
enum CommitRecord {
    static let format: UInt8 = 1
    /// The offset of the flags in a record.
    static let flagsOffset = 1
    static let authorFlag: UInt8 = 1
    static let schemaFlag: UInt8 = 2
    static let marksFlag: UInt8 = 4
    static let oldValuesFlag: UInt8 = 8
    /// Never without ``oldValuesFlag``.
    static let oldElementsFlag: UInt8 = 16

    /// With the tree `before` the commit, the record includes old values.
    static func encode(
        _ delta: Delta, of tree: WorkingTree, before: TreeView? = nil, author: String?,
        schema: StoreSchema?, time: Double, into writer: inout PayloadWriter
    ) {
        encodeHeader(
            before == nil ? 0 : oldValuesFlags(delta, tree.schema), author: author,
            schema: schema, time: time, into: &writer)
        let view = tree.flushedView
        writer.writeVarint(UInt64(delta.changedCount))
        // Without a temporary array: this runs for every commit.
        for index in delta.classes.indices {
            guard let marks = delta.classes[index], !marks.isEmpty else { continue }
            let id = ClassID(index)
            writer.writeVarint(UInt64(id.rawValue))
            encodeCreated(marks, view.classView(id), into: &writer)
            encodeTouched(marks, view.classView(id), into: &writer)
            encode(keys: marks.deleted.sorted(), into: &writer)
        }
        if let before { encodeOldValues(delta, before: before, into: &writer) }
    }

    private static func encodeCreated(
        _ delta: ClassDelta, _ view: ClassView, into writer: inout PayloadWriter
    ) {
        let batches = delta.hasCreated ? createdBatches(delta, view) : []
        writer.writeVarint(UInt64(batches.count))
        for batch in batches {
            writer.writeVarint(UInt64(batch.firstKey))
            writer.writeVarint(UInt64(batch.rows.count))
            for (column, schema) in view.classSchema.columns.enumerated() {
                ColumnBlock.encode(batch.rows, column, schema, into: &writer)
            }
        }
    }

    /// Runs of created rows within one cluster whose keys ascend by one.
    private static func createdBatches(
        _ delta: ClassDelta, _ view: ClassView
    ) -> [(firstKey: Int64, rows: [RowLocation])] {
        var batches: [(firstKey: Int64, rows: [RowLocation])] = []
        view.root.forEachCluster(from: delta.createdFrom) { cluster in
            var next: Int64 = .min
            let first = cluster.firstSlot(from: RowKey(delta.createdFrom))
            for slot in first..<cluster.slotCount where cluster.isLive(slot) {
                let key = cluster.key(slot).rawValue
                let row = RowLocation(cluster: cluster, slot: slot)
                if key == next {
                    batches[batches.count - 1].rows.append(row)
                } else {
                    batches.append((key, [row]))
                }
                next = key + 1
            }
        }
        return batches
    }

    private static func encodeTouched(
        _ delta: ClassDelta, _ view: ClassView, into writer: inout PayloadWriter
    ) {
        var columns: [(column: Int, keys: [RowKey])] = []
        // A column that the migration has removed has no contents.
        for column in 0..<delta.columns where !view.classSchema.columns[column].isRemoved {
            let keys = delta.touchedRows(column)
            if !keys.isEmpty { columns.append((column, keys)) }
        }
        writer.writeVarint(UInt64(columns.count))
        for (column, keys) in columns {
            writer.writeVarint(UInt64(column))
            encode(keys: keys.lazy.map { $0.rawValue }, into: &writer)
            let schema = view.classSchema.columns[column]
            // Attached: the rows were written, so they are in memory.
            var cursor = RowCursor(view, attaching: true)
            let rows = keys.compactMap { cursor.locate($0) }
            if schema.container == .none {
                ColumnBlock.encode(rows, column, schema, into: &writer)
                continue
            }
            for (key, row) in zip(keys, rows) {
                let id = SequenceID(key: key, column: ColumnID(column))
                encode(delta.edits[id] ?? SequenceEdit(), row, column, schema, into: &writer)
            }
        }
    }

    private static func encode(
        _ edit: SequenceEdit, _ row: RowLocation, _ column: Int, _ schema: ColumnSchema,
        into writer: inout PayloadWriter
    ) {
        for indices in [edit.deletions, edit.insertions, edit.modifications] {
            encode(keys: indices.lazy.map { Int64($0) }, into: &writer)
        }
        ColumnBlock.encodeElements(
            at: edit.insertions, andWithoutKeys: edit.modifications, of: row, column, schema,
            into: &writer)
    }

    private static func encode(
        keys: some Collection<Int64>, into writer: inout PayloadWriter
    ) {
        writer.writeVarint(UInt64(keys.count))
        var last: Int64 = 0
        for key in keys {
            writer.writeVarint(UInt64(key - last))
            last = key
        }
    }
}
