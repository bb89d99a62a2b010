/// The tree that a salvage assembles from its sources.
///
/// Records are applied as in recovery, with one difference: changes that do not fit, because an
/// earlier record is lost, are skipped and counted.
final class SalvageReplay {
    let tree: WorkingTree
    var outcome = SalvageOutcome()
    /// The checkpoint that it has begun with, which covers the commits up to its version.
    private(set) var base: CheckpointRecord?
    /// Commits before the first schema.
    private var waiting: [[UInt8]] = []

    init(account: NodeAccount) {
        tree = WorkingTree(schema: StoreSchema(), account: account)
    }

    /// Begins with the contents of a checkpoint, which follow.
    func begin(at record: CheckpointRecord, schema: StoreSchema) {
        base = record
        tree.adapt(to: schema)
    }

    /// Reserves the keys of a class below `next`, which rows had, even if they are lost.
    func reserveKeys(below next: Int64, of id: ClassID) {
        tree.flushPending()
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

    /// Applies one commit, or defers it until the schema is known that it was made with: classes
    /// and columns are only ever added, so a later schema can decode an older record, unless
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

    /// Applies the deferred commits. Without a schema, they are decoded with `fallback`.
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
        // They may be from before columns were removed.
        tree.clearRemoved()
    }

    private func applyNow(_ record: UnsafeRawBufferPointer) {
        let tolerance = ReplayTolerance()
        do {
            try CommitRecord.apply(record, to: tree, tolerance: tolerance)
            outcome.commits += 1
        } catch {
            // Changes before the damage are kept; deferred deletions are executed with the others.
            tree.deleteDeferred()
            outcome.incompleteCommits += 1
        }
        outcome.droppedChanges += tolerance.droppedChanges
        _ = tree.takeDelta()
    }
}
