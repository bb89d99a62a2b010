/// The payload of a commit in the log: what a transaction changed, with the new values.
///
///     u8  format, 1
///     u8  flags: 1 author, 2 schema, 4 marks only, 8 old values, 16 those of collections, too
///     f64 seconds since 1970 when it was made
///     [string author] [schema]
///     varint classes, then of each:
///       varint class
///       varint batches of created rows, of each: varint first key, varint rows (keys ascend by
///         one), then per column of the class a block
///       varint touched columns, of each: varint column, varint rows, their keys (the first, then
///         differences), then a block, or per row an edit with the elements that came
///       varint deleted rows, their keys likewise
///     [old values]
///
/// A record of marks only is that of a commit of which the page files have the tree
/// (``GroupTree``): it says what changed and has no values. Runs are a varint count, then of each
/// varint first key less the end of the run before, varint keys. Of each class that changed:
///
///       varint class
///       runs of created rows
///       varint touched columns, of each: varint column, runs of rows
///       runs of deleted rows
///
/// Replaying applies the record as it stands and derives nothing: links that a deletion made null
/// are in it as such. Rows that the transaction both created and deleted are not in it, and their
/// keys are given to other rows by those who know of it from its record alone.
enum CommitRecord {
    static let format: UInt8 = 1
    /// Where in a record its flags stand.
    static let flagsOffset = 1
    static let authorFlag: UInt8 = 1
    static let schemaFlag: UInt8 = 2
    static let marksFlag: UInt8 = 4
    static let oldValuesFlag: UInt8 = 8
    /// Never without the one before.
    static let oldElementsFlag: UInt8 = 16

    /// With the tree `before` the commit, also what that held of what is gone.
    static func encode(
        _ delta: Delta, of tree: WorkingTree, before: TreeView? = nil, author: String?,
        schema: StoreSchema?, time: Double, into writer: inout PayloadWriter
    ) {
        encodeHeader(
            before == nil ? 0 : oldValuesFlags(delta, tree.schema), author: author,
            schema: schema, time: time, into: &writer)
        let view = tree.settledView
        writer.writeVarint(UInt64(delta.changedCount))
        // No array of them: this is done for every commit.
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
        // A column that the migration has removed holds nothing, and has nothing to be edited.
        for column in 0..<delta.columns where !view.classSchema.columns[column].isRemoved {
            let keys = delta.touchedRows(column)
            if !keys.isEmpty { columns.append((column, keys)) }
        }
        writer.writeVarint(UInt64(columns.count))
        for (column, keys) in columns {
            writer.writeVarint(UInt64(column))
            encode(keys: keys.lazy.map { $0.rawValue }, into: &writer)
            let schema = view.classSchema.columns[column]
            // Rows that were written: the working tree has them in memory.
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
        let came = edit.insertions + edit.modifications
        if schema.container == .map {
            let map = row.cluster.map(column, row.slot, schema)
            ColumnBlock.encode(map.keys, edit.insertions, into: &writer)
            ColumnBlock.encode(map.values, came, into: &writer)
        } else {
            ColumnBlock.encode(
                row.cluster.sequence(column, row.slot, schema), came, into: &writer)
        }
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
