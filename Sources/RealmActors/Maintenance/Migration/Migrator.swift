import Storage

/// A migration that an opening has found to be due.
struct DueMigration: Sendable {
    let plan: SchemaPlan
    /// The schema of the models, with the version and the steps that the store gets.
    let modelSchema: StoreSchema
    /// The steps that are to run, in order.
    let steps: [MigrationStep]
    /// Whether the block is to run.
    let runsBlock: Bool
}

/// Runs a migration as one transaction on a store that nobody else has yet.
///
/// The store is then closed and opened again in the ordinary way, so that nothing of the migration
/// stays in memory.
struct Migrator {
    let configuration: Realm.Configuration
    let opened: OpenedStore
    let due: DueMigration

    /// Part of the store that may be in memory, and how little of that is worth it.
    private static let budgetMin = 32 << 20

    /// Migrates the store and closes it; when that fails, it is as it was.
    ///
    /// Not on the actor of the opener: undoing what has failed, and freeing what was
    /// migrated, takes a while.
    ///
    /// - Throws: what the program's code throws; ``RealmError``; `CancellationError`.
    @concurrent
    func run() async throws {
        var plain = configuration
        plain.objectTypes = []
        plain.maximumNumberOfActiveVersions = nil
        let store = RealmStore.started(plain, opened.bare)
        let engine = store.engine
        store.account.memoryBudget = min(
            store.account.memoryBudget, max(Self.budgetMin, engine.liveBytes / 2))
        do {
            try await store.writer.turns.take("a migration", timeout: nil)
            defer { store.releaseTurn() }
            try RealmError.translating { try engine.beginBody() }
            let monitor = MigrationMonitor(configuration.migrationProgress)
            let commit: Storage.Version?
            do {
                commit = try await withTaskCancellationHandler {
                    try await BlockingWork.run { try migrate(store, engine, monitor) }
                } onCancel: {
                    monitor.cancel()
                }
            } catch {
                engine.rollBack()
                engine.endBody(nil, waiter: .nobody)
                throw error
            }
            _ = try await RealmError.translating {
                // Unsafe: the engine resumes each waiter exactly once, also when the log fails.
                try await withUnsafeThrowingContinuation { continuation in
                    engine.endBody(commit, waiter: .continuation(continuation))
                }
            }
        } catch {
            try? await store.close()
            throw error
        }
        try await store.close()
    }

    private func migrate(
        _ store: RealmStore, _ engine: TransactionEngine, _ monitor: MigrationMonitor
    ) throws -> Storage.Version? {
        let change = SchemaChange(plan: due.plan, models: opened.models, monitor: monitor)
        let migration = Migration(store, engine, change, modelSchema: due.modelSchema)
        defer { migration.leave() }
        try monitor.check()
        if due.runsBlock { try configuration.migration?(migration, migration.oldVersion) }
        for step in due.steps {
            monitor.begin(step)
            try monitor.check()
            try step.run(migration)
        }
        try migration.finish()
        try monitor.check()
        return try RealmError.translating {
            try engine.encodeCommit(
                author: "migration", time: store.now, schema: migration.target)
        }
    }
}
