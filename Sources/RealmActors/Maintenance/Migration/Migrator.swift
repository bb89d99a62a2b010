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

/// Runs a migration as one transaction on a store that no other process of this host has yet.
///
/// On a shared log other hosts continue, and what they append while it runs supersedes it: then it
/// runs again on top of that. The one whose commit is first is the one that has migrated.
///
/// The store is then closed and opened again in the ordinary way, so that nothing of the migration
/// stays in memory.
struct Migrator {
    let configuration: Realm.Configuration
    let opened: OpenedStore
    let due: DueMigration

    /// Part of the store that may be in memory, and how little of that is worth it.
    private static let budgetMin = 32 << 20

    /// Migrates the store, unless another host has done so, and closes it; when that fails, it is
    /// as it was.
    ///
    /// Not on the actor of the opener: undoing what has failed, and freeing what was
    /// migrated, takes a while.
    ///
    /// - Throws: what the program's code throws; ``RealmError``, among them
    ///   ``RealmError/superseded`` when other hosts were first again and again, for as long as a
    ///   write would wait; `CancellationError`.
    @concurrent
    func run() async throws {
        var plain = configuration
        plain.objectTypes = []
        plain.maximumNumberOfActiveVersions = nil
        // Before other hosts are followed.
        let planned = opened.replayed.tree.schema
        let store = RealmStore.started(plain, opened.bare)
        store.account.memoryBudget = min(
            store.account.memoryBudget, max(Self.budgetMin, store.engine.liveBytes / 2))
        let deadline = configuration.writeTimeout.map { ContinuousClock.now + $0 }
        do {
            while try await !isDone(in: store, planned) {
                if let deadline, ContinuousClock.now > deadline { throw RealmError.superseded }
            }
        } catch {
            try? await store.close()
            throw error
        }
        try await store.close()
    }

    /// Runs the migration once, on the schema that it was planned for. False when another host was
    /// first with a commit, and nothing of it was written.
    private func isDone(in store: RealmStore, _ planned: StoreSchema) async throws -> Bool {
        let engine: TransactionEngine
        do {
            engine = try await store.takeTurn("a migration")
        } catch RealmError.schemaMismatch {
            // Another host has migrated. Opening again finds out whether that leaves anything.
            return true
        }
        defer { store.releaseTurn() }
        // The same when one has added to the schema.
        if engine.tree.schema != planned { return true }
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
        do {
            _ = try await RealmError.translating {
                // Unsafe: the engine resumes each waiter exactly once, also when the log fails.
                try await withUnsafeThrowingContinuation { continuation in
                    engine.endBody(commit, waiter: .continuation(continuation))
                }
            }
            return true
        } catch RealmError.superseded {
            return false
        }
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
