/// Reverts a working tree to the contents of an older version, by undoing the differences.
///
/// Keys of rows are not reused: a row that is restored gets a new key, and every link to it is
/// redirected.
package struct TreeReversal {
    private let tree: WorkingTree
    private let wanted: SnapshotRoot
    /// The new keys of restored rows, by class and old key.
    private var returned: [ClassID: [RowKey: RowKey]] = [:]

    /// Turns `tree`, in which a body runs, into `wanted`, an older version of the same schema.
    package init(_ tree: WorkingTree, to wanted: SnapshotRoot) {
        self.tree = tree
        self.wanted = wanted
    }

    /// O(differences). `version` is the one that the body would make.
    package consuming func run(version: Version) {
        let present = tree.capture(version: version)
        let differences = TreeDifference.between(present, wanted)
        let ids = differences.keys.sorted()
        // Newer rows are deleted first, so that their primary keys are free.
        for id in ids {
            guard let difference = differences[id], !difference.deleted.isEmpty else { continue }
            tree.delete(id, difference.deleted)
        }
        for id in ids {
            for key in differences[id]?.inserted ?? [] {
                returned[id, default: [:]][key] = tree.createRow(id)
            }
        }
        // The transaction cannot be committed: the rest would only take memory.
        if tree.spillRefusal != nil { return }
        for id in ids {
            guard let difference = differences[id] else { continue }
            for key in difference.inserted {
                guard let row = returned[id]?[key] else { continue }
                write(id, key, to: row, wanted.schema[id].columns.indices.map { ColumnID($0) })
            }
            for (key, columns) in difference.modified {
                write(id, key, to: key, columns.columns)
            }
        }
    }

    /// Writes the wanted version's contents of `columns` in the row `key` to the row `target`.
    private func write(
        _ id: ClassID, _ key: RowKey, to target: RowKey, _ columns: [ColumnID]
    ) {
        guard let row = wanted.view.classView(id).locate(key) else { return }
        for column in columns {
            let schema = wanted.schema[id].columns[column.rawValue]
            if schema.isRemoved { continue }
            let contents = ColumnContents(row, column, schema).mapLinks(of: schema) { id, key in
                returned[id]?[key] ?? key
            }
            tree.write(contents, id, target, column)
        }
    }
}
