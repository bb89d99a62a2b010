import Storage

/// An object database: a Sendable handle that any task may use.
///
/// Writes are awaited and serialised; reads are synchronous and never wait. Opening the same path
/// again gives another handle on the same store, which is closed with its last handle.
///
///     let realm = try await Realm.open(.init(path: "kennel.realm", objectTypes: [Dog.self]))
///     try await realm.write { tx in try tx.create(Dog.self, value: ["name": "Rex"]) }
///     for dog in realm.objects(Dog.self) { greet(dog.name) }
public struct Realm: Sendable {
    let store: RealmStore

    init(_ store: RealmStore) { self.store = store }

    /// Opens a realm, making it when there is none.
    ///
    /// - Throws: ``RealmError``: the models are no valid schema, or differ from the stored one; the
    ///   path is no realm, is damaged, or is open elsewhere; the disk failed.
    public static func open(_ configuration: Configuration = .default) async throws -> Realm {
        Realm(try await StoreRegistry.shared.open(configuration))
    }

    /// The configuration that the store was opened with, with the key that opens it now.
    public var configuration: Configuration { store.currentConfiguration }

    // MARK: Writing

    /// Runs `body` as one transaction and returns its result when that is durable.
    ///
    /// Transactions run one after another on the writer, in the order of their arrival; `body` does
    /// not suspend. The transaction and its objects are confined to it.
    ///
    /// - Parameters:
    ///   - author: a tag that arrives with the commit at ``commits(since:)``.
    ///   - tokens: streams that are not told of the commit. It changes what they compare with, so
    ///     that their next element says what came after it. Such a write waits for the ones before
    ///     it to be durable. A token of another realm is refused.
    /// - Throws: what `body` throws, after giving up its changes; ``RealmError``;
    ///   `CancellationError` when the task is cancelled before `body` starts, which then does not
    ///   run.
    @discardableResult
    public func write<R: Sendable>(
        author: String? = nil, silencing tokens: [ChangeStreamToken] = [],
        _ body: sending (WriteTransaction) throws -> R
    ) async throws -> R {
        try await store.writer.perform(in: store, author: author, silencing: tokens, body)
    }

    /// Runs `body` as one transaction and returns when that is durable.
    public func write(
        author: String? = nil, silencing tokens: [ChangeStreamToken] = [],
        _ body: sending (WriteTransaction) throws -> Void
    ) async throws {
        try await store.writer.perform(in: store, author: author, silencing: tokens, body)
    }

    // MARK: Reading

    /// The newest version, to be read for as long as it is held.
    ///
    /// - Parameter label: what the holder is called in ``activeVersions`` and in the error of a
    ///   write that is refused because too many versions are held.
    public func snapshot(label: String? = nil) -> Snapshot {
        store.pace.noteReader()
        return store.snapshot(label: label)
    }

    /// The newest version's number.
    public var latestVersion: Version { Version(store.engine.latest.version) }

    /// All objects of a class in the newest version.
    public func objects<Model: Object>(_ type: Model.Type) -> FrozenResults<Model> {
        snapshot().objects(type)
    }

    /// The object with a primary key in the newest version; nil when there is none. O(log n).
    public func object<Model: Object>(
        _ type: Model.Type, forPrimaryKey key: some PersistedValue
    ) -> Frozen<Model>? {
        snapshot().object(type, forPrimaryKey: key)
    }

    /// The object that a reference names, in the newest version; nil when it was deleted.
    public func resolve<Model: ObjectBase>(_ reference: ObjectReference<Model>) -> Frozen<Model>? {
        snapshot().resolve(reference)
    }

    /// The newest version of an object; nil when it was deleted.
    public func resolve<Model: ObjectBase>(_ frozen: Frozen<Model>) -> Frozen<Model>? {
        snapshot().resolve(frozen)
    }

    /// A realm with live objects for the caller's actor.
    public func live(isolation: isolated any Actor = #isolation) async throws -> LiveRealm {
        if store.isClosed { throw RealmError.closed }
        return LiveRealm(store, isolation: isolation)
    }

    // MARK: The store

    /// The versions that are held, oldest first, and the newest.
    public var activeVersions: [ActiveVersion] {
        store.versions.active(latest: store.engine.latest.version)
    }

    /// Bytes of memory that are kept for one version alone: what is free as soon as its holders let
    /// go. Zero for a version that nobody holds, and nearly so for the newest one, which the next
    /// one shares.
    ///
    ///     let oldest = realm.activeVersions[0]
    ///     log("\(oldest) keeps \(realm.bytesKept(for: oldest.version)) bytes")
    ///
    /// - Complexity: linear in what changed since, not in the size of the realm.
    public func bytesKept(for version: Version) -> Int {
        store.versions.exclusiveBytes(of: Storage.Version(version.rawValue))
    }

    /// Figures about the store at this moment.
    public var statistics: Statistics { store.statistics }

    /// Why the store no longer writes; nil while it does. ``reopen()`` clears it.
    public var failure: RealmError? { store.failure }

    /// Waits for the writes that are under way, and gives up the lock that this process has on the
    /// files, until ``resume()``: for an app extension, or an app that is about to be suspended,
    /// which the system ends when it keeps a lock. Writes wait meanwhile, for no longer than
    /// `writeTimeout`; reads and change streams go on. Does nothing in a suspended store.
    ///
    /// - Throws: ``RealmError/closed``; `CancellationError` when the task is cancelled before the
    ///   writes have ended.
    public func suspend() async throws { try await store.suspend() }

    /// Lets writes go on after ``suspend()``: the next one takes the lock again.
    public func resume() { store.resume() }

    /// Waits for the writes that are under way and closes the store, for every handle.
    ///
    /// Snapshots stay readable; writes throw ``RealmError/closed``.
    public func close() async throws { try await store.close() }

    /// Opens the store again after it failed or was closed: what is proven on disk is replayed.
    ///
    /// An open store is closed first, behind the writes that have begun; those that come meanwhile
    /// wait. Change streams end, live realms go on. When it fails, the store is closed, and it can
    /// be tried again. Goes through although the task is cancelled meanwhile.
    ///
    /// - Throws: as ``open(_:)``; ``RealmError/alreadyOpen(path:difference:)`` when the path was
    ///   opened again since this store was closed; ``RealmError/closed`` for a realm in memory.
    public func reopen() async throws { try await store.reopen() }
}

extension Realm: Hashable {
    /// Whether both are handles on the same store.
    public static func == (a: Realm, b: Realm) -> Bool { a.store === b.store }

    /// Hashes the store.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(store)) }
}

extension Realm {
    /// Figures about a store.
    public struct Statistics: Sendable, Hashable {
        /// Commits that became durable since it was opened.
        public let commits: Int
        /// Syncs that this took.
        public let syncs: Int
        /// Bytes that the newest version used at the last checkpoint; in a store that has written
        /// none, or is in memory, bytes of nodes in memory.
        public let liveBytes: Int
        /// Bytes of nodes in memory, of every version that is held.
        public let residentBytes: Int
        /// Nodes in memory.
        public let residentNodes: Int
        /// Bytes that the files occupy on disk, with those of files that were removed already and
        /// are open for versions that are held.
        public let diskBytes: Int

        /// Commits for each sync.
        public var transactionsPerSync: Double {
            syncs == 0 ? 0 : Double(commits) / Double(syncs)
        }
    }
}
