/// The tree that a salvage brings together from what its sources have.
///
/// Records are applied as recovery does, with one difference: what does not fit, because a record
/// before it is lost, is left out and counted.
final class SalvageReplay {
    let tree: WorkingTree
    var outcome = SalvageOutcome()
    /// The checkpoint that was begun with; commits up to its version are in it.
    private(set) var base: CheckpointRecord?
    /// Commits that came before any schema.
    private var waiting: [[UInt8]] = []

    init(account: NodeAccount) {
        tree = WorkingTree(schema: StoreSchema(), account: account)
    }

    /// Begins with the contents of a checkpoint, which come next.
    func begin(at record: CheckpointRecord, schema: StoreSchema) {
        base = record
        tree.adapt(to: schema)
    }

    /// Gives no new row of a class a key below `next`: rows had those, also where they are lost.
    func useUpKeys(below next: Int64, of id: ClassID) {
        tree.settle()
        let root = tree.uniqueRoot(id)
        root.nextKey = max(root.nextKey, next)
    }

    /// Applies the commits of one group.
    func apply(group payload: UnsafeRawBufferPointer) {
        var records = GroupRecords(payload)
        do throws(GroupRecords.Malformed) {
            while let record = try records.next() {
                if let base, record.version <= base.version { continue }
                apply(record.payload)
            }
        } catch {
            outcome.incompleteCommits += 1
        }
    }

    /// Applies one commit, or keeps it until the schema is known that it was made with: classes and
    /// columns are only ever added, so that a later one tells what an older record means, unless
    /// columns were added in between.
    private func apply(_ record: UnsafeRawBufferPointer) {
        if tree.schema.classes.isEmpty {
            guard let schema = CommitRecord.schema(of: record) else {
                waiting.append([UInt8](record))
                return
            }
            begin(with: schema)
        }
        applyNow(record)
    }

    /// Applies what waits for a schema. `fallback` is what to read it with when there is none.
    func finish(_ fallback: StoreSchema?) {
        if waiting.isEmpty { return }
        if let fallback, !fallback.classes.isEmpty { return begin(with: fallback) }
        outcome.incompleteCommits += waiting.count
        waiting = []
    }

    private func begin(with schema: StoreSchema) {
        tree.adapt(to: schema)
        let records = waiting
        waiting = []
        if records.isEmpty { return }
        // Unsafe: lent for the call.
        for record in records { record.withUnsafeBytes { applyNow($0) } }
        // They may be of a time when there were columns that are gone by now.
        tree.clearRemoved()
    }

    private func applyNow(_ record: UnsafeRawBufferPointer) {
        let tolerance = ReplayTolerance()
        do {
            try CommitRecord.apply(record, to: tree, tolerance: tolerance)
            outcome.commits += 1
        } catch {
            // What came before the damage stays; deletions come last, and are done with the rest.
            tree.deleteDeferred()
            outcome.incompleteCommits += 1
        }
        outcome.droppedChanges += tolerance.droppedChanges
        _ = tree.takeDelta()
    }
}
