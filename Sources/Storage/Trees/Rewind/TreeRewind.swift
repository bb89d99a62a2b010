/// Takes a tree back over commits whose old values the log has.
///
/// It receives the commits in their order, and keeps of each value only the oldest: so it has as
/// much as the tree will differ in, however often that was written.
struct TreeRewind {
    /// What takes the rows of one class back.
    fileprivate struct Rows {
        /// No row from this key on was there.
        var createdFrom: Int64 = .max
        /// Rows that went, as they were then.
        var deleted: [RowKey: [ColumnContents]] = [:]
        /// Values that were written, as they were first.
        var values: [ColumnID: [RowKey: StoredValue]] = [:]
        /// Edits of collections, to be taken back from the last one on.
        var reversals: [SequenceID: [CommitRecord.Elements]] = [:]
    }

    private var classes: [ClassID: Rows] = [:]
    /// The newest version whose commit cannot be taken back.
    private(set) var barrier: Version?

    /// Discards the commits that it has received.
    mutating func clear() { self = TreeRewind() }

    /// Adds the commit behind those that it has received.
    mutating func add(_ commit: LoggedCommit) {
        guard commit.isReversible else {
            clear()
            barrier = commit.version
            return
        }
        for entry in commit.classes { classes[entry.id, default: Rows()].add(entry) }
    }

    /// Takes back what the commits changed of `tree`, which is as they left it.
    func apply(to tree: WorkingTree) throws(RecordError) {
        let ids = classes.keys.sorted()
        // Links may lead to any row, so that all are there before one is written.
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

    /// Writes what rows that are there held.
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
                // Its elements went with the property, which no version shows any more.
                if schema.isRemoved { continue }
                let row = tree.locate(id, sequence.key)
                guard let count = row?.elementCount(sequence.column.rawValue, schema),
                    elements.fit(count)
                else { throw .lacksRow }
                // What this tree changes is not read, and there may be many edits of one list.
                elements.apply(
                    to: tree, id, sequence.key, sequence.column.rawValue, isNoted: false)
            }
        }
    }
}

extension RecordError {
    fileprivate static let lacksRow = RecordError.malformed("old values of what was not there")
}

extension WorkingTree {
    /// Adds rows that were there before, with the keys that they had. Of a tree that nothing is
    /// committed of: what replays commits appends rows.
    fileprivate func insertBlank(_ id: ClassID, _ keys: [RowKey]) {
        let state = states[id.rawValue]
        settle()
        forgetRecent()
        let tree = tree(state)
        tree.ownNewest()
        tree.insertBlank(keys)
        forgetRecent()
        for column in state.indexedColumns where state.schema.columns[column].hasOwnIndex {
            for key in keys {
                guard let row = tree.root.attach(key) else { continue }
                addBuilt(state, column, row, key)
            }
        }
        settle()
    }

    /// Keeps the rows from a key on to be removed by ``deleteDeferred()``.
    fileprivate func deferDeletion(_ id: ClassID, from key: Int64) {
        var keys: [RowKey] = []
        settledView.classView(id).root.forEachCluster(from: key) { cluster in
            for slot in cluster.firstSlot(from: RowKey(key))..<cluster.slotCount
            where cluster.isLive(slot) {
                keys.append(cluster.key(slot))
            }
        }
        deferDeletion(id, keys)
    }
}
