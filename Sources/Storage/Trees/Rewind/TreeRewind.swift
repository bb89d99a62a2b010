/// Rewinds a tree over commits whose old values the log has.
///
/// It receives the commits in order, and keeps only the oldest of each value, so its size is
/// bounded by the difference of the two trees.
struct TreeRewind {
    /// The old state of the rows of one class.
    fileprivate struct Rows {
        /// No row from this key on existed.
        var createdFrom: Int64 = .max
        /// Deleted rows, with their old contents.
        var deleted: [RowKey: [ColumnContents]] = [:]
        /// Overwritten values, with their oldest contents.
        var values: [ColumnID: [RowKey: StoredValue]] = [:]
        /// Edits of collections, to be undone from the last one on.
        var reversals: [SequenceID: [CommitRecord.Elements]] = [:]
    }

    private var classes: [ClassID: Rows] = [:]
    /// The newest version whose commit cannot be undone.
    private(set) var barrier: Version?

    /// Discards all commits.
    mutating func clear() { self = TreeRewind() }

    /// Adds the next commit.
    mutating func add(_ commit: LoggedCommit) {
        guard commit.isReversible else {
            clear()
            barrier = commit.version
            return
        }
        for entry in commit.classes { classes[entry.id, default: Rows()].add(entry) }
    }

    /// Undoes the commits in `tree`, which must be at the version of the last one.
    func apply(to tree: WorkingTree) throws(RecordError) {
        let ids = classes.keys.sorted()
        // Links may refer to any row, so all rows are inserted before one is written.
        for id in ids { tree.insertBlank(id, classes[id]?.deleted.keys.sorted() ?? []) }
        for id in ids { try classes[id]?.write(to: tree, id) }
        for id in ids { tree.deferDeletion(id, from: classes[id]?.createdFrom ?? .max) }
        tree.deleteDeferred()
    }
}

extension TreeRewind.Rows {
    fileprivate mutating func add(_ entry: LoggedClass) {
        if let first = entry.created.first { createdFrom = min(createdFrom, first.lowerBound) }
        for touched in entry.touched {
            let column = touched.column
            for (index, key) in touched.rows.joined().enumerated() where key < createdFrom {
                let key = RowKey(key)
                if touched.reversals.isEmpty {
                    if values[column]?[key] != nil { continue }
                    values[column, default: [:]][key] = touched.oldValues[index]
                } else {
                    let id = SequenceID(key: key, column: column)
                    reversals[id, default: []].append(touched.reversals[index])
                }
            }
        }
        for (index, key) in entry.deleted.joined().enumerated() where key < createdFrom {
            deleted[RowKey(key)] = entry.deletedValues[index]
        }
    }

    /// Writes the old contents of existing rows.
    fileprivate func write(to tree: WorkingTree, _ id: ClassID) throws(RecordError) {
        let columns = tree.schema[id].columns
        for (key, contents) in deleted {
            for (column, contents) in contents.enumerated()
            where column < columns.count && !columns[column].isRemoved {
                tree.write(contents, id, key, ColumnID(column))
            }
        }
        for (column, rows) in values
        where column.rawValue < columns.count && !columns[column.rawValue].isRemoved {
            for (key, value) in rows {
                guard let row = tree.writer(id, key) else { throw .lacksRow }
                row.set(column.rawValue, value)
            }
        }
        for (sequence, edits) in reversals where sequence.column.rawValue < columns.count {
            for elements in edits.reversed() {
                let schema = columns[sequence.column.rawValue]
                // Its elements were removed with the property, which no version shows any more.
                if schema.isRemoved { continue }
                let row = tree.locate(id, sequence.key)
                guard let count = row?.elementCount(sequence.column.rawValue, schema),
                    elements.fit(count)
                else { throw .lacksRow }
                // The changes of this tree are not read, so edits are applied without marks: there
                // may be many of one list.
                elements.apply(
                    to: tree, id, sequence.key, sequence.column.rawValue, marksChange: false)
            }
        }
    }
}

extension RecordError {
    fileprivate static let lacksRow =
        RecordError.malformed("old values of a row that does not exist")
}

extension WorkingTree {
    /// Reinserts rows with their old keys. Only in a tree that is never committed: replay of a
    /// commit can only append rows.
    fileprivate func insertBlank(_ id: ClassID, _ keys: [RowKey]) {
        let state = states[id.rawValue]
        flushPending()
        forgetRecent()
        let tree = tree(state)
        tree.unshareNewest()
        tree.insertBlank(keys)
        forgetRecent()
        for column in state.indexedColumns where state.schema.columns[column].hasOwnIndex {
            for key in keys {
                guard let row = tree.root.attach(key) else { continue }
                addBuilt(state, column, row, key)
            }
        }
        flushPending()
    }

    /// Defers the deletion of the rows from a key on to ``deleteDeferred()``.
    fileprivate func deferDeletion(_ id: ClassID, from key: Int64) {
        var keys: [RowKey] = []
        flushedView.classView(id).root.forEachCluster(from: key) { cluster in
            for slot in cluster.firstSlot(from: RowKey(key))..<cluster.slotCount
            where cluster.isLive(slot) {
                keys.append(cluster.key(slot))
            }
        }
        deferDeletion(id, keys)
    }
}
