import Storage

/// A migration that an opening has found to be necessary.
struct DueMigration: Sendable {
    let plan: SchemaPlan
    /// The schema of the models, with the version and the steps of the store after the migration.
    let modelSchema: StoreSchema
    /// The steps that are to run, in order.
    let steps: [MigrationStep]
    /// Whether the block is to run.
    let runsBlock: Bool
}

/// Runs a migration as one transaction on a store that no other process of this host has open for
/// writing.
///
/// On a shared log other hosts continue. If they append entries while it runs, its commit is
/// superseded and it runs again on top of these. The host that commits first has migrated.
///
/// The store is then closed and opened again, so that nothing of the migration stays in memory.
struct Migrator {
    let configuration: Realm.Configuration
    let opened: OpenedStore
    let due: DueMigration

    /// The share of the store's size that may be in memory, and the minimum.
    private static let budgetMin = 32 << 20

    /// Migrates the store, unless another host has done so, and closes it; a failure leaves it
    /// unchanged.
    ///
    /// Not on the caller's actor: rolling back, and releasing the tree, takes long.
    ///
    /// - Throws: the error of the program's code; ``RealmError``, among them
    ///   ``RealmError/superseded`` when other hosts commit first until `writeTimeout`;
    ///   `CancellationError`.
    @concurrent
    func run() async throws {
        var plain = configuration
        plain.objectTypes = []
        plain.maximumNumberOfActiveVersions = nil
        // Read before the commits of other hosts are.
        let planned = opened.replayed.tree.schema
        let store = RealmStore.started(plain, opened.bare)
        store.account.memoryBudget = min(
            store.account.memoryBudget, max(Self.budgetMin, store.engine.liveBytes / 2))
        let deadline = RepetitionDeadline(after: configuration.writeTimeout)
        do {
            while try await !isDone(in: store, planned) { try deadline.requireTime() }
        } catch {
            try? await store.close()
            throw error
        }
        try await store.close()
    }

    /// Runs the migration once, on the schema that it was planned for. False if another host has
    /// committed first; nothing was written then.
    private func isDone(in store: RealmStore, _ planned: StoreSchema) async throws -> Bool {
        let engine: TransactionEngine
        do {
            engine = try await store.takeTurn("a migration")
        } catch RealmError.schemaMismatch {
            // Another host has migrated. Opening again decides whether more is to do.
            return true
        }
        defer { store.releaseTurn() }
        // The same if another host has extended the schema.
        if engine.tree.schema != planned { return true }
        try RealmError.translating { try engine.beginBody() }
        let monitor = MigrationMonitor(configuration.migrationProgress)
        let commit: Storage.Version?
        do {
            commit = try await withCancellationHandler {
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
