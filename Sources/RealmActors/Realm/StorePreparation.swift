import Foundation
import Storage

/// A store that was opened, and what must be done before it is used.
private struct FoundStore: Sendable {
    let store: OpenedStore
    /// A migration that must run first; the store's tree is the old one until then.
    var due: DueMigration?
}

/// The store was copied from the seed, and removed by another process before it was opened.
private struct CopyWasRemoved: Error {}

extension OpenedStore {
    /// Opens the store of `configuration`. Blocks on the disk: not for the cooperative pool.
    ///
    /// Reflects the classes after reading the files: another thread may do so in the meantime.
    ///
    /// - Parameter asWriter: whether to wait until no other process has the writer lease.
    /// - Parameter makesStore: whether to create a missing store.
    /// - Parameter monitor: cancels waits for another process or the engine of a shared log.
    private static func open(
        _ configuration: Realm.Configuration, account: NodeAccount = NodeAccount(),
        asWriter: Bool = false, makesStore: Bool = true, again former: FormerStore? = nil,
        monitor: ReadingMonitor? = nil
    ) throws -> FoundStore {
        try configuration.requireConsistency()
        account.memoryBudget =
            configuration.memoryBudget ?? Platform.physicalMemory / 4
        // During opening, a node that cannot be read throws and never traps.
        account.trapsOnFailure = false
        let discover = { () throws(RealmError) in
            try SchemaDiscovery.discover(configuration.objectTypes)
        }
        // A realm in memory has a log, also in memory, only if its configuration keeps the history.
        let keepsLog = configuration.path != nil || configuration.history.isKept
        guard keepsLog else { return try openWithoutFiles(configuration, account) }
        try requireStore(configuration)
        var opening = try makeOpening(
            configuration, asWriter: asWriter, makesStore: makesStore)
        opening.options.known = former?.database
        opening.options.monitor = monitor
        // Invalid classes must not leave files behind, so a new store checks them first.
        let isNew = (try? opening.fileSystem.list(opening.directory))?.isEmpty ?? true
        if isNew { _ = try discover() }
        var models: [DiscoveredModel] = []
        var due: DueMigration?
        var addition: SchemaChange?
        var need: OpeningNeed? = configuration.sharedLog == nil ? nil : .sharedLog
        let opened: StoreOpening.Opened
        do {
            opened = try RealmError.translating {
                try opening.open(account: account) { stored in
                    let wanted: StoreSchema
                    (wanted, models) = try discover()
                    (due, addition, need) = (nil, nil, nil)
                    let decision = SchemaDecision.make(
                        configuration, stored: stored, models: wanted)
                    if let former { return try former.schema(for: decision) }
                    switch decision {
                    case .open(let schema):
                        if schema != stored, !stored.classes.isEmpty { need = .schema }
                        return schema
                    case .migrate(let migration)
                    where configuration.sharedLog != nil && migration.isAddition:
                        // A change that only adds needs no migration: it is an ordinary commit of
                        // the shared log.
                        addition = SchemaChange(
                            plan: migration.plan, models: models, monitor: MigrationMonitor(nil))
                        need = .schema
                        return migration.plan.target
                    case .migrate(let migration):
                        due = migration
                        return stored
                    case .delete: throw StoreOpening.ObsoleteStore()
                    case .refuse(let error): throw error
                    }
                } fill: {
                    try addition?.begin($0)
                }
            }
        } catch RealmError.outOfSpace {
            throw need?.error(at: configuration.path) ?? RealmError.outOfSpace
        }
        return FoundStore(
            store: OpenedStore(opened, opening.options, account, models), due: due)
    }

    /// Opens a realm in memory that keeps no history.
    private static func openWithoutFiles(
        _ configuration: Realm.Configuration, _ account: NodeAccount
    ) throws(RealmError) -> FoundStore {
        let (wanted, models) = try SchemaDiscovery.discover(configuration.objectTypes)
        return FoundStore(
            store: OpenedStore(
                storeID: UUID(), replayed: ReplayedStore(inMemory: wanted, account),
                models: models))
    }

    private init(
        _ opened: StoreOpening.Opened, _ options: LogOptions, _ account: NodeAccount,
        _ models: [DiscoveredModel]
    ) {
        self.init(
            storeID: opened.log.database.uuid,
            replayed: ReplayedStore(opened, options, account), models: models,
            history: opened.sharedRealm.map { HistoryIdentity(ofSharedRealm: $0.uuid) })
    }

    /// Throws if the stored schema is wanted and there is no store, before a folder is created.
    private static func requireStore(_ configuration: Realm.Configuration) throws {
        guard configuration.usesStoredSchema, let path = configuration.path else { return }
        try RealmError.translating {
            let directory = StoreDirectory(fileSystem: configuration.fileSystem, path: path)
            if try !directory.holdsStore() { throw RealmError.fileNotFound(path: path) }
        }
    }

    private static func makeOpening(
        _ configuration: Realm.Configuration, asWriter: Bool, makesStore: Bool
    ) throws -> StoreOpening {
        guard let path = configuration.path else {
            var opening = StoreOpening(fileSystem: MemoryFileSystem(), directory: "memory")
            opening.options = configuration.logOptions
            opening.options.history = configuration.history.policy
            opening.options.durability = .written
            return opening
        }
        var opening = StoreOpening(fileSystem: configuration.fileSystem, directory: path)
        opening.options = configuration.logOptions
        opening.options.readOnly = configuration.readOnly
        opening.options.makesStore = makesStore && !configuration.usesStoredSchema
        opening.options.encryptionKey = configuration.encryptionKey?.userKey
        opening.options.history = configuration.history.policy
        if configuration.durability != .fsync { opening.options.durability = .written }
        opening.options.isShared = configuration.fileSystem.shared != nil
        opening.options.lockTimeout = configuration.writeTimeout
        opening.options.waitsForLock = asWriter
        if let shared = configuration.sharedLog, !configuration.readOnly {
            let log = try RealmError.translating { try shared.connect() }
            var realm = SharedRealm(
                log, key: configuration.encryptionKey?.userKey,
                timeout: configuration.writeTimeout)
            realm.imageBytesMin = shared.imageBytesMin
            opening.sharedRealm = realm
            opening.options.isCopyOfSharedLog()
        }
        return opening
    }

    /// Opens the store of `configuration`. Before that, copies the seed, deletes a store that is
    /// not to be migrated, and migrates.
    ///
    /// - Throws: `CancellationError` when the task is cancelled while another process, or the
    ///   engine of a shared log, is waited for.
    static func prepare(_ configuration: Realm.Configuration) async throws -> OpenedStore {
        let monitor = ReadingMonitor()
        do {
            return try await withCancellationHandler {
                try await prepare(configuration, monitor)
            } onCancel: {
                monitor.cancel()
            }
        } catch {
            // The error may be that of a wait that was cancelled.
            try monitor.check()
            throw error
        }
    }

    private static func prepare(
        _ configuration: Realm.Configuration, _ monitor: ReadingMonitor
    ) async throws -> OpenedStore {
        try configuration.requireConsistency()
        var makesStore = configuration.seedFilePath == nil
        while true {
            let (account, makes) = (NodeAccount(), makesStore)
            if !makes {
                try await BlockingWork.run { try StoreSeed.install(configuration, monitor) }
            }
            let opening = { @Sendable () throws -> FoundStore? in
                do {
                    let opened = try open(
                        configuration, account: account, makesStore: makes, monitor: monitor)
                    guard opened.due != nil, let log = opened.store.replayed.files?.log,
                        !log.isWriting
                    else {
                        return opened
                    }
                    // Only the holder of the writer lease migrates. Open again with the lease: its
                    // previous holder may have migrated.
                    try? log.close()
                    return try open(
                        configuration, asWriter: true, makesStore: makes, monitor: monitor)
                } catch RealmError.fileNotFound(let path)
                    where !makes && !configuration.readOnly
                    && path == configuration.path.map({ $0 + "/superblock" })
                {
                    throw CopyWasRemoved()
                } catch is StoreOpening.ObsoleteStore {
                    // Removed already, under the lock that it was read with.
                } catch RealmError.unsupportedFormat where configuration.deleteIfMigrationNeeded {
                    try StoreRemoval.removeUnsupported(configuration)
                }
                return nil
            }
            do {
                if let found = try await BlockingWork.run(
                    beside: reflection(configuration), opening)
                {
                    let opened = found.store
                    guard let due = found.due else { return opened }
                    do {
                        try await Migrator(configuration: configuration, opened: opened, due: due)
                            .run()
                    } catch RealmError.outOfSpace {
                        throw OpeningNeed.schema.error(at: configuration.path)
                    }
                } else {
                    // Not copied from the seed again: the copy would only be deleted again.
                    makesStore = true
                }
            } catch is CopyWasRemoved {}
        }
    }

    /// Reopens a store without creating, migrating or deleting anything.
    static func prepare(
        again former: FormerStore, _ configuration: Realm.Configuration, account: NodeAccount
    ) async throws -> OpenedStore {
        try await BlockingWork.run {
            try open(configuration, account: account, again: former).store
        }
    }

    /// Reflects the classes that are new to the process, while the files are read: both take about
    /// as long. Nil without new classes, and in memory, where there are no files to read.
    private static func reflection(
        _ configuration: Realm.Configuration
    ) -> (@Sendable () -> Void)? {
        let types = configuration.objectTypes.filter { !DiscoveredModel.isKnown($0) }
        if types.isEmpty || configuration.path == nil { return nil }
        return { for type in types { _ = DiscoveredModel.of(type) } }
    }
}

extension Bits128 {
    /// The same 16 bytes as a UUID.
    var uuid: UUID {
        var bytes = uuid_t(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        // Unsafe: two words into the 16 bytes of the tuple.
        withUnsafeMutableBytes(of: &bytes) { buffer in
            buffer.storeBytes(of: low.littleEndian, as: UInt64.self)
            buffer.storeBytes(of: high.littleEndian, toByteOffset: 8, as: UInt64.self)
        }
        return UUID(uuid: bytes)
    }
}
