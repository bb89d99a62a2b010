/// A store whose journal was replayed, before it is opened.
package struct ReplayedStore: Sendable {
    private let transferred: TransferredTree
    package let version: Version
    package let log: any Journal
    package let account: NodeAccount
    /// The journal, if other hosts append to it as well.
    let sharedJournal: SharedJournal?
    let appendsInPlace: Bool
    let checkpoints: CheckpointSchedule?
    /// The opened files; nil in memory, and if other processes are not to be followed.
    package private(set) var files: StoreOpening.Opened?

    package var tree: WorkingTree { transferred.tree }

    /// Whether other hosts append to its log as well.
    package var isOnSharedLog: Bool { sharedJournal != nil }

    /// A store in files. Without `waitsForDisk`, commits are appended on their writers' threads.
    package init(
        _ opened: StoreOpening.Opened, _ options: LogOptions, _ account: NodeAccount,
        policy: CheckpointSchedule.Policy = .automatic, waitsForDisk: Bool = true
    ) {
        transferred = opened.transferred
        version = opened.version
        sharedJournal = opened.sharedJournal
        log = opened.sharedJournal ?? opened.log
        self.account = account
        appendsInPlace =
            !waitsForDisk || options.durability == .written && sharedJournal == nil
        checkpoints = options.readOnly ? nil : CheckpointSchedule(opened, policy: policy)
        files = opened
    }

    /// A new store in memory, without a journal that could be read.
    package init(inMemory schema: StoreSchema, _ account: NodeAccount) {
        transferred = TransferredTree(tree: WorkingTree(schema: schema, account: account))
        version = .zero
        sharedJournal = nil
        log = VolatileJournal()
        self.account = account
        appendsInPlace = true
        checkpoints = nil
    }

    /// The same store, for a migration: it does not release the writer lease when others ask for
    /// it.
    package var exclusive: ReplayedStore {
        var copy = self
        copy.files = nil
        return copy
    }

    func makeEngine(
        _ observer: any CommitObserver, measuresGroups: Bool = false
    ) -> TransactionEngine {
        TransactionEngine(
            tree: tree, version: version, log: log, appendsInPlace: appendsInPlace,
            checkpoints: checkpoints, checkpointer: files?.checkpointer,
            measuresGroups: measuresGroups,
            isSeenAlone: { classes in observer.seesEveryVersion(of: classes) },
            onFailure: { error in observer.finish(error) },
            publish: { commits, makeLatest in observer.publish(commits, makeLatest) })
    }
}

/// The observer of an open store's commits.
package protocol CommitObserver: AnyObject, Sendable {
    /// Makes commits visible by calling `makeLatest`, and notifies those that they concern.
    func publish(_ commits: [CommitChanges], _ makeLatest: () -> Void)

    /// Whether a commit that changes these classes must be published on its own, not merged with
    /// its group.
    func seesEveryVersion(of classes: () -> [ClassID]) -> Bool

    /// No more commits follow: because of a failure, or because the store is closed.
    func finish(_ failure: StorageError?)

    /// Commits follow again, after the store was reopened: `makeLatest` publishes the version that
    /// was read from disk, and returns it.
    func restart(_ makeLatest: () -> Version)
}
