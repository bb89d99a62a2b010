import Storage

extension Realm {
    init(_ store: RealmStore) { self.init(handle: store) }

    /// The store that this is a handle on.
    var store: RealmStore { handle.realmStore }

    // MARK: Reading

    /// The newest version, as an immutable value that keeps it readable. Synchronous; may be called
    /// from any isolation, and never waits for a write.
    ///
    /// - Parameter label: names the holder in ``activeVersions`` and in the error of a write that
    ///   is refused because too many versions are held.
    public func snapshot(label: String? = nil) -> Snapshot {
        let store = store
        store.pace.noteReader()
        return store.snapshot(label: label)
    }

    /// The newest version's number.
    public var latestVersion: Version { Version(store.engine.latest.version) }

    /// Whether the newest version has no object of any class, including classes that are not among
    /// the realm's `objectTypes`.
    ///
    /// - Complexity: linear in the number of classes.
    public var isEmpty: Bool { store.snapshot(label: nil).isEmpty }

    // MARK: The store

    /// The versions that are held, oldest first, and the newest.
    public var activeVersions: [ActiveVersion] {
        store.versions.active(latest: store.engine.latest.name)
    }

    /// Bytes of memory that only this version needs, freed when its holders release it. Zero for a
    /// version that is not held, and small for the newest, which shares most nodes with the next
    /// one.
    ///
    ///     let oldest = realm.activeVersions[0]
    ///     log("\(oldest) keeps \(realm.bytesKept(for: oldest.version)) bytes")
    ///
    /// - Complexity: linear in what changed since that version, not in the size of the realm.
    public func bytesKept(for version: Version) -> Int {
        store.versions.exclusiveBytes(of: Storage.Version(version.rawValue))
    }

    /// The present statistics of the store.
    ///
    /// - Complexity: linear in the number of the store's files, each of which is opened for its
    ///   size.
    public var statistics: Statistics { store.statistics }

    /// Why the store no longer accepts writes; nil while it does: the disk failed, a node could not
    /// be read, or the stored schema no longer matches the models. ``reopen()`` clears it when the
    /// cause is gone.
    public var failure: RealmError? { store.failure }
}

extension Realm: Hashable {
    /// Whether both are handles on the same store.
    public static func == (a: Realm, b: Realm) -> Bool { a.store === b.store }

    /// Hashes the store.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(store)) }
}

extension Realm {
    /// Statistics of a store.
    public struct Statistics: Sendable, Hashable {
        /// Commits that became durable since the store was opened.
        public let commits: Int
        /// Syncs that made them durable.
        public let syncs: Int
        /// Bytes that the newest version used at the last checkpoint; bytes of nodes in memory if
        /// there was no checkpoint yet, or the store is in memory.
        public let liveBytes: Int
        /// Bytes of nodes in memory, of every version that is held.
        public let residentBytes: Int
        /// Nodes in memory.
        public let residentNodes: Int
        /// Bytes that the files occupy on disk, including removed files that held versions keep
        /// open. Zero where the system does not report it, and in memory.
        public let diskBytes: Int

        /// Commits per sync.
        public var transactionsPerSync: Double {
            syncs == 0 ? 0 : Double(commits) / Double(syncs)
        }
    }
}
