/// A commit of a group that is not published.
struct CollectedCommit: Sendable {
    let version: Version
    let author: String?
    /// What its writer gave along for those who watch; of no meaning here.
    let attachment: (any Sendable)?
    let delta: Delta
    /// The version that it made, when that is to be seen by itself.
    let root: SnapshotRoot?
}

/// What a commit changed, worked out only when someone watches it.
package struct CommitChanges: Sendable {
    private enum Source {
        case collected(CollectedCommit)
        /// Of a commit of another process, of which the log has no values.
        case logged(LoggedCommit)
        /// All that commits of other processes did whose log is gone.
        case difference(from: SnapshotRoot)
    }

    private let source: Source
    package let version: Version
    /// The version that the commit was published in.
    private let groupRoot: SnapshotRoot
    /// The version that has the rows which the commit created.
    private let rowsRoot: SnapshotRoot

    /// - Parameter firstKept: the first version that was kept of those from the commit on.
    private init(
        _ commit: CollectedCommit, groupRoot: SnapshotRoot, firstKept: SnapshotRoot
    ) {
        source = .collected(commit)
        version = commit.version
        self.groupRoot = groupRoot
        rowsRoot = firstKept
    }

    /// Those of a group that led to `groupRoot`.
    ///
    /// A commit of which no version was kept is reported with the next one that was. So its rows
    /// are those of that version: a commit behind it that deletes one is reported by itself.
    static func all(
        of commits: [CollectedCommit], groupRoot: SnapshotRoot
    ) -> [CommitChanges] {
        var kept = groupRoot
        var changes: [CommitChanges] = []
        changes.reserveCapacity(commits.count)
        for commit in commits.reversed() {
            kept = commit.root ?? kept
            changes.append(CommitChanges(commit, groupRoot: groupRoot, firstKept: kept))
        }
        changes.reverse()
        return changes
    }

    init(_ commit: LoggedCommit, groupRoot: SnapshotRoot) {
        source = .logged(commit)
        version = commit.version
        self.groupRoot = groupRoot
        rowsRoot = groupRoot
    }

    /// What lies between two versions, as one change.
    init(from before: SnapshotRoot, to after: SnapshotRoot) {
        source = .difference(from: before)
        version = after.version
        groupRoot = after
        rowsRoot = after
    }

    /// The version that it made; nil when only that of its group was kept.
    package var root: SnapshotRoot? {
        if version == groupRoot.version { return groupRoot }
        if case .collected(let commit) = source { return commit.root }
        return nil
    }

    /// What its writer gave along for those who watch.
    package var attachment: (any Sendable)? {
        if case .collected(let commit) = source { return commit.attachment }
        return nil
    }

    /// The classes of which anything changed, or may have.
    package var classes: [ClassID] {
        switch source {
        case .collected(let commit): commit.delta.changedClasses
        case .logged(let commit): commit.classes.map(\.id)
        case .difference: groupRoot.schema.classes.indices.map { ClassID($0) }
        }
    }

    package func changeSet() -> ChangeSet {
        switch source {
        case .collected(let commit):
            return commit.delta.changeSet(
                version: version, author: commit.author, view: rowsRoot.view)
        case .logged(let commit): return ChangeSet(commit)
        case .difference(let before):
            return ChangeSet(
                version: version, author: nil,
                classes: TreeDifference.between(before, groupRoot).mapValues { ClassChanges($0) })
        }
    }
}

extension Delta {
    /// The marks as those who watch want them.
    func changeSet(version: Version, author: String?, view: TreeView) -> ChangeSet {
        var changes: [ClassID: ClassChanges] = [:]
        for (id, marks) in changed { changes[id] = marks.changes(view.classView(id)) }
        return ChangeSet(version: version, author: author, classes: changes)
    }
}

extension ClassDelta {
    /// The keys of the rows that were created and still are there, as ascending ranges.
    func createdRuns(_ view: ClassView) -> [Range<Int64>] {
        guard hasCreated else { return [] }
        var created: [Range<Int64>] = []
        view.root.forEachRun(from: createdFrom) { run in
            created.extend(with: run.clamped(to: createdFrom..<createdEnd))
        } orCluster: { cluster in
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
