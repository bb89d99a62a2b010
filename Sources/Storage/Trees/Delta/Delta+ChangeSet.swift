/// A commit of a group that is not published yet.
struct CollectedCommit: Sendable {
    let version: Version
    let author: String?
    /// The writer's attachment for observers, which is opaque here.
    let attachment: (any Sendable)?
    let delta: Delta
    /// Its version, if that must be published on its own.
    let root: SnapshotRoot?
}

/// The changes of a commit, computed only for observers.
package struct CommitChanges: Sendable {
    private enum Source {
        case collected(CollectedCommit)
        /// Those of a page commit of another process, whose values are not in the log.
        case logged(LoggedCommit)
        /// The difference after commits of other processes whose log was removed.
        case difference(from: SnapshotRoot)
    }

    private let source: Source
    package let version: Version
    /// The version with which the commit was published.
    private let groupRoot: SnapshotRoot
    /// The version with the rows that the commit created.
    private let rowsRoot: SnapshotRoot

    /// - Parameter firstKept: the first captured version from the commit on.
    private init(
        _ commit: CollectedCommit, groupRoot: SnapshotRoot, firstKept: SnapshotRoot
    ) {
        source = .collected(commit)
        version = commit.version
        self.groupRoot = groupRoot
        rowsRoot = firstKept
    }

    /// The changes of the commits of a group, whose last version is `groupRoot`.
    ///
    /// A commit whose version was not captured is reported with the next captured one, which has
    /// its rows: a later commit that deletes one of them is published on its own.
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

    /// The difference between two versions, as one change.
    init(from before: SnapshotRoot, to after: SnapshotRoot) {
        source = .difference(from: before)
        version = after.version
        groupRoot = after
        rowsRoot = after
    }

    /// Its version; nil if only that of its group was captured.
    package var root: SnapshotRoot? {
        if version == groupRoot.version { return groupRoot }
        if case .collected(let commit) = source { return commit.root }
        return nil
    }

    /// The writer's attachment for observers.
    package var attachment: (any Sendable)? {
        if case .collected(let commit) = source { return commit.attachment }
        return nil
    }

    /// The classes that have, or may have, changed.
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
    /// The changes for observers.
    func changeSet(version: Version, author: String?, view: TreeView) -> ChangeSet {
        var changes: [ClassID: ClassChanges] = [:]
        for (id, marks) in changed { changes[id] = marks.changes(view.classView(id)) }
        return ChangeSet(version: version, author: author, classes: changes)
    }
}

extension ClassDelta {
    /// The keys of created rows that still exist, as ascending ranges.
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
