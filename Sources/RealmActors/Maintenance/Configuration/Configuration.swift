package import Storage
import Synchronization

extension Realm {
    /// The location, the models and the options of a realm. A value: changes affect later openings
    /// only.
    ///
    ///     let configuration = Realm.Configuration(path: "kennel.realm", objectTypes: [Dog.self])
    public struct Configuration: Sendable {
        /// The folder of the realm; nil for a realm in memory. A relative path is resolved against
        /// the working directory when the realm is opened. Setting it makes the
        /// ``inMemoryIdentifier`` nil.
        public var path: String? {
            didSet { if path != nil { inMemoryIdentifier = nil } }
        }
        /// The name under which tasks of this process share a realm in memory, which is deleted
        /// with its last handle; nil for a realm on disk. Setting it makes the ``path`` and the
        /// ``seedFilePath`` nil.
        public var inMemoryIdentifier: String? {
            didSet { if inMemoryIdentifier != nil { (path, seedFilePath) = (nil, nil) } }
        }
        /// The models, with every class that they link to.
        public var objectTypes: [ObjectBase.Type]
        /// How many versions may be held at once, the newest included; at least 1, or nil for no
        /// limit.
        public var maximumNumberOfActiveVersions: UInt?
        /// What a write does when more versions are held than allowed.
        public var activeVersionPolicy: ActiveVersionPolicy
        /// How durable a commit is when its write returns.
        public var durability: Durability
        /// How long a write waits for its turn before it throws ``RealmError/writerBusy(holder:)``;
        /// nil for no limit.
        public var writeTimeout: Duration?
        /// Bytes of memory that nodes may occupy before the realm evicts those that it can read
        /// again from the disk; nil for a quarter of the machine's memory.
        ///
        /// Nodes that a running write has changed, or that are not yet in the page files, cannot be
        /// evicted and may exceed it.
        public var memoryBudget: Int?
        /// How long commits are kept, for ``Realm/commits(since:)`` and for reading past versions.
        public var history: History
        /// What happens when a node cannot be read from the disk, or is damaged.
        public var readFailure: ReadFailurePolicy
        /// The version of the program's models. A store records the version that it was migrated
        /// to: one with a lower version is migrated when it is opened, one with a higher version is
        /// refused. `UInt64.max` is not a version.
        public var schemaVersion: UInt64
        /// Changes the objects of a store with a lower version, which is `oldVersion`. Not called
        /// for a new store. Runs on a separate thread; on a shared log it runs again if another
        /// host has committed meanwhile.
        public var migration: (@Sendable (Migration, _ oldVersion: UInt64) throws -> Void)?
        /// A migration as numbered steps, each of which runs once on a store: an alternative to
        /// ``migration``.
        public var migrationSteps: [MigrationStep] = []
        /// Called with the progress of a migration from time to time, on any thread.
        public var migrationProgress: (@Sendable (MigrationProgress) -> Void)?
        /// Whether a store that needs a migration is deleted and created again instead. This
        /// includes a store with another schema version, with a migration step due, or with an
        /// unsupported format. No migration runs. Not for read-only realms.
        public var deleteIfMigrationNeeded: Bool
        /// Called when the store is opened for the first time in the process, with the bytes of its
        /// files and the bytes in use in them; true compacts it before ``Realm/open(_:)`` returns,
        /// as far as the disk has space for it, unless another process keeps writing. Not for
        /// read-only realms.
        public var shouldCompactOnOpen: (@Sendable (_ total: Int, _ used: Int) -> Bool)?
        /// The folder of a realm that is copied when there is none at ``path`` yet; encrypted with
        /// the same key, if at all.
        public var seedFilePath: String?
        /// The key that the realm is encrypted with; nil if it is not encrypted. Whether a realm is
        /// encrypted is decided when it is created. A realm in memory is never encrypted.
        public var encryptionKey: EncryptionKey?
        /// Whether the realm is opened for reading only, for which its files need not be writable.
        public var readOnly: Bool
        /// Whether to use the classes and the schema version of the store: for a program without
        /// its models, which reads and writes by names (``DynamicObject``).
        ///
        ///     let configuration = Realm.Configuration(path: path, usesStoredSchema: true)
        ///
        /// The store must exist, and its schema is not changed. Excludes ``objectTypes``,
        /// ``schemaVersion`` and a migration.
        public var usesStoredSchema: Bool
        /// The log that other hosts append to as well, each with a folder of its own at its
        /// ``path``; nil for a realm of this host alone. A ``readOnly`` configuration shows what
        /// the folder has.
        public var sharedLog: SharedLog?

        /// Receives events of commits, checkpoints, held versions and more; nil costs nothing. The
        /// configuration that first opens the realm in the process decides.
        public var monitor: (any RealmMonitor)?
        /// The limits beyond which the ``monitor`` is notified of slow operations.
        public var monitorLimits: MonitorLimits = .init()

        /// The permissions of files that are created, as for `chmod`, less the process's `umask`. A
        /// folder may be entered by everyone who may read or write its files. The owner may always
        /// read and write. Existing files keep their permissions.
        public var filePermissions: UInt16 = FilePermissions.owner.ofFiles {
            didSet {
                guard let files = fileSystem as? POSIXFileSystem else { return }
                fileSystem = files.making(FilePermissions(ofFiles: filePermissions))
            }
        }

        /// The file system, which tests replace.
        package var fileSystem: any FileSystem = POSIXFileSystem()
        /// The size limits of the log, which tests lower.
        package var logOptions = LogOptions()

        /// A configuration; omitted options have Realm's defaults.
        public init(
            path: String? = nil, inMemoryIdentifier: String? = nil,
            objectTypes: [ObjectBase.Type] = [], readOnly: Bool = false,
            encryptionKey: EncryptionKey? = nil,
            maximumNumberOfActiveVersions: UInt? = nil,
            activeVersionPolicy: ActiveVersionPolicy = .fail, durability: Durability = .fsync,
            writeTimeout: Duration? = .seconds(30), memoryBudget: Int? = nil,
            history: History = .untilCompacted, schemaVersion: UInt64 = 0,
            migration: (@Sendable (Migration, _ oldVersion: UInt64) throws -> Void)? = nil,
            deleteIfMigrationNeeded: Bool = false,
            shouldCompactOnOpen: (@Sendable (_ total: Int, _ used: Int) -> Bool)? = nil,
            seedFilePath: String? = nil, readFailure: ReadFailurePolicy = .report,
            usesStoredSchema: Bool = false
        ) {
            self.path = path
            self.inMemoryIdentifier = inMemoryIdentifier
            self.objectTypes = objectTypes
            self.memoryBudget = memoryBudget
            self.readOnly = readOnly
            self.encryptionKey = encryptionKey
            self.maximumNumberOfActiveVersions = maximumNumberOfActiveVersions
            self.activeVersionPolicy = activeVersionPolicy
            self.durability = durability
            self.writeTimeout = writeTimeout
            self.history = history
            self.schemaVersion = schemaVersion
            self.migration = migration
            self.deleteIfMigrationNeeded = deleteIfMigrationNeeded
            self.shouldCompactOnOpen = shouldCompactOnOpen
            self.seedFilePath = seedFilePath
            self.readFailure = readFailure
            self.usesStoredSchema = usesStoredSchema
        }

        /// The same with the options of the schema directly after the models.
        @_disfavoredOverload
        public init(
            path: String? = nil, inMemoryIdentifier: String? = nil,
            objectTypes: [ObjectBase.Type] = [], schemaVersion: UInt64 = 0,
            migration: (@Sendable (Migration, _ oldVersion: UInt64) throws -> Void)? = nil,
            deleteIfMigrationNeeded: Bool = false, readOnly: Bool = false,
            encryptionKey: EncryptionKey? = nil, maximumNumberOfActiveVersions: UInt? = nil,
            activeVersionPolicy: ActiveVersionPolicy = .fail, durability: Durability = .fsync,
            writeTimeout: Duration? = .seconds(30), memoryBudget: Int? = nil,
            history: History = .untilCompacted,
            shouldCompactOnOpen: (@Sendable (_ total: Int, _ used: Int) -> Bool)? = nil,
            seedFilePath: String? = nil, readFailure: ReadFailurePolicy = .report,
            usesStoredSchema: Bool = false
        ) {
            self.init(
                path: path, inMemoryIdentifier: inMemoryIdentifier, objectTypes: objectTypes,
                readOnly: readOnly, encryptionKey: encryptionKey,
                maximumNumberOfActiveVersions: maximumNumberOfActiveVersions,
                activeVersionPolicy: activeVersionPolicy, durability: durability,
                writeTimeout: writeTimeout, memoryBudget: memoryBudget, history: history,
                schemaVersion: schemaVersion, migration: migration,
                deleteIfMigrationNeeded: deleteIfMigrationNeeded,
                shouldCompactOnOpen: shouldCompactOnOpen, seedFilePath: seedFilePath,
                readFailure: readFailure, usesStoredSchema: usesStoredSchema)
        }

        private static let shared = Mutex(Configuration())

        /// The configuration that ``Realm/open(_:)`` uses by default.
        public static var `default`: Configuration {
            get { shared.withLock { $0 } }
            set { shared.withLock { $0 = newValue } }
        }
    }

    private static let sharedPath = Mutex("default.realm")

    /// The path of a realm whose configuration names neither a path nor an identifier. Setting it
    /// affects later openings only.
    public static var defaultPath: String {
        get { sharedPath.withLock { $0 } }
        set { sharedPath.withLock { $0 = newValue } }
    }
}

extension Realm.Configuration {
    /// How durable a commit is when its write returns.
    public enum Durability: Sendable, Hashable {
        /// The commit is synced to the disk: it survives a crash of the system.
        case fsync
        /// The operating system has the commit: it survives the kill of the process. It is synced
        /// to the disk within the given time, which is more than zero; a crash of the system leaves
        /// a prefix of the commits.
        case relaxed(every: Duration)
    }

    /// What a write does when more versions are held than allowed.
    public enum ActiveVersionPolicy: Sendable, Hashable {
        /// It throws ``RealmError/tooManyActiveVersions(active:limit:holders:)`` at once.
        case fail
        /// It waits for a version to be released, and throws after the given time. Writes that wait
        /// run in the order of their arrival.
        case wait(upTo: Duration)
    }

    /// What happens when a node of an open realm cannot be read from the disk, or is damaged.
    public enum ReadFailurePolicy: Sendable, Hashable {
        /// Functions that can throw, throw it; getters, subscripts and counts return zero, nil or
        /// an empty collection, and ``Realm/failure`` says why.
        case report
        /// The process ends, whichever call reads the node, ``Realm/verify(progress:)`` included.
        /// Opening throws nevertheless, and read failures of a closed realm are reported.
        case trap
    }
}
