import Foundation
import Storage

/// A store whose log was replayed, on its way into a ``RealmStore``.
// Unchecked by construction: the tree goes to exactly one engine, made by whoever opened it.
struct OpenedStore: @unchecked Sendable {
    let storeID: UUID
    let tree: WorkingTree
    let version: Storage.Version
    let log: any Journal
    let account: NodeAccount
    let models: [DiscoveredModel]
    let appendsInPlace: Bool
    var checkpoints: CheckpointSchedule?
    /// What was opened of the files; nil in memory.
    var files: StoreOpening.Opened?

    /// The same store without models: what a migration reads the old objects from. It keeps the
    /// right to write, whoever else asks for it.
    var bare: OpenedStore {
        OpenedStore(
            storeID: storeID, tree: tree, version: version, log: log, account: account,
            models: [], appendsInPlace: appendsInPlace, checkpoints: checkpoints)
    }

    func makeEngine(_ hub: CommitHub<Snapshot>) -> TransactionEngine {
        TransactionEngine(
            tree: tree, version: version, log: log, appendsInPlace: appendsInPlace,
            checkpoints: checkpoints,
            isSeenAlone: { classes in hub.tellsEveryVersion(of: classes) },
            onFailure: { error in hub.end(RealmError(error)) },
            publish: { commits, makeLatest in hub.publish(commits, makeLatest: makeLatest) })
    }
}
