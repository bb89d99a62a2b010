/// What a commit changed, worked out only when someone watches it.
package struct CommitChanges: Sendable {
    package let version: Version
    private let author: String?
    private let delta: Delta
    /// The version that the commit was published in.
    private let root: SnapshotRoot

    init(version: Version, author: String?, delta: Delta, root: SnapshotRoot) {
        self.version = version
        self.author = author
        self.delta = delta
        self.root = root
    }

    /// The classes of which anything changed.
    package var classes: [ClassID] { delta.changedClasses }

    package func changeSet() -> ChangeSet {
        delta.changeSet(version: version, author: author, view: root.view)
    }
}

extension Delta {
    /// The marks as those who watch want them.
    func changeSet(version: Version, author: String?, view: TreeView) -> ChangeSet {
        var changes: [ClassID: ClassChanges] = [:]
        for (index, delta) in classes.enumerated() {
            guard let delta, !delta.isEmpty else { continue }
            let id = ClassID(index)
            changes[id] = delta.changes(view.classView(id))
        }
        return ChangeSet(version: version, author: author, classes: changes)
    }
}

extension ClassDelta {
    /// The keys of the rows that were created and still are there, as ascending ranges.
    func createdRuns(_ view: ClassView) -> [Range<Int64>] {
        guard hasCreated else { return [] }
        var created: [Range<Int64>] = []
        view.root.forEachCluster(from: createdFrom) { cluster in
            for slot in 0..<cluster.slotCount where cluster.isLive(slot) {
                let key = cluster.key(slot).rawValue
                guard key >= createdFrom, key < createdEnd else { continue }
                created.extend(with: key)
            }
        }
        return created
    }

    func changes(_ view: ClassView) -> ClassChanges {
        let created = createdRuns(view)
        var touched: [RowKey: ColumnSet] = [:]
        for column in 0..<columns {
            for key in touchedRows(column) {
                touched[key, default: ColumnSet()].insert(ColumnID(column))
            }
        }
        return ClassChanges(
            created: created, deleted: deleted.sorted().map { RowKey($0) }, touched: touched,
            sequenceEdits: edits)
    }
}
