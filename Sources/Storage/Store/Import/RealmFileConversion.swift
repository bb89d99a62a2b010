/// Converts a `.realm` file to a new store, in a folder of its own.
package struct RealmFileConversion {
    private let file: RealmFile
    private let fileSystem: any FileSystem
    private let key: UserKey?
    private let isSalvage: Bool
    private let memoryBudget: Int
    private let monitor: ReadingMonitor

    /// The store is encrypted if there is a key.
    package init(
        _ file: RealmFile, to fileSystem: any FileSystem, key: UserKey?, isSalvage: Bool,
        memoryBudget: Int, monitor: ReadingMonitor
    ) {
        self.file = file
        self.fileSystem = fileSystem
        self.key = key
        self.isSalvage = isSalvage
        self.memoryBudget = memoryBudget
        self.monitor = monitor
    }

    /// Fills `directory`, which may exist if it is empty; `schema` is the file's. The caller
    /// removes the files after a failure. One transaction; blocks on the disk: not for the
    /// cooperative pool.
    package func fill(
        _ directory: String, _ schema: StoreSchema, time: Double
    ) throws -> RealmFileChanges {
        let account = NodeAccount()
        account.memoryBudget = memoryBudget
        var opening = StoreOpening(fileSystem: fileSystem, directory: directory)
        opening.options.encryptionKey = key
        // Only the result has to be durable, which the checkpoint ensures.
        opening.options.durability = .written
        opening.options.preparesInBackground = false
        let opened = try opening.open(account: account) { _ in schema }
        defer { try? opened.log.close() }
        if schema.classes.isEmpty { return RealmFileChanges() }
        let engine = TransactionEngine(
            tree: opened.tree, version: opened.version, log: opened.log, appendsInPlace: true,
            checkpoints: CheckpointSchedule(opened, policy: .manual)
        ) { _, makeLatest in makeLatest() }
        let (changes, commit) = try RealmFileTransaction(
            file, isSalvage: isSalvage, monitor: monitor
        ).run(in: engine, author: nil, time: time)
        engine.endBody(commit, waiter: .nobody)
        if let failure = engine.failure { throw failure }
        try engine.checkpoint()
        // Without a waiter, a commit that lacked space is not reported, and the store continues
        // without it.
        if let commit, engine.latest.version < commit { throw engine.shortage }
        return changes
    }
}
