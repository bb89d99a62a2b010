/// Opens a store: begins at its checkpoint, replays the log behind it into a tree, and brings the
/// schema up to what the caller needs.
package struct StoreOpening {
    package let fileSystem: any FileSystem
    package let directory: String
    package var options = LogOptions()
    /// The log that other hosts append to as well; nil where only this host has the realm.
    package var sharedRealm: SharedRealm?

    package init(fileSystem: any FileSystem, directory: String) {
        self.fileSystem = fileSystem
        self.directory = directory.withoutTrailingSlashes
    }

    /// A store that was opened.
    package struct Opened: Sendable {
        package let log: Log
        let handed: HandedTree
        package let version: Version
        /// Writes the store's checkpoints.
        package let checkpointer: Checkpointer
        /// Whether the tree is that of the log. One that was opened read-only with models that add
        /// to the schema is not: it shows the version that it was opened with.
        package var isFollowable = true
        /// The journal of a realm that other hosts have as well.
        var sharedJournal: SharedJournal?
        /// The realm on a shared log that this is a copy of; nil where it is none.
        package var sharedRealm: Bits128?

        package var tree: WorkingTree { handed.tree }
    }

    /// What replay begins with and works on.
    struct State {
        var tree: WorkingTree
        var version = Version.zero
        var pages: PageStore
        var contents = Checkpointer.Contents()
    }

    /// Opens or makes the store. Blocks on the disk: not for the cooperative pool.
    ///
    /// `schema` gets the stored schema and answers with the one to go on with, which has the same
    /// classes and columns and perhaps more, or other indexes; that is a commit of its own. Or it
    /// throws ``ObsoleteStore``. It is asked again when the store has to be read anew. On a shared
    /// log, `fill` then gives the rows what they are to have in columns that come.
    ///
    /// When another process writes and ``LogOptions/isShared`` is set, follows that one, and waits
    /// for its turn only to make the store, or to change the schema.
    package func open(
        account: NodeAccount, schema: (StoreSchema) throws -> StoreSchema,
        fill: (WorkingTree) throws -> Void = { _ in }
    ) throws -> Opened {
        if !options.isShared {
            do {
                return try openOnce(account, schema, fill)
            } catch let error as StorageError {
                guard removeUnread(after: error) else { throw error }
                return try openOnce(account, schema, fill)
            }
        }
        var waiting = self
        waiting.options.waitsForLock = true
        var attempts = 0
        while true {
            do {
                return try openOnce(account, schema, fill)
            } catch is NeedsLock {
                return try waiting.openOnce(account, schema, fill)
            } catch let error as BehindWriterError {
                if case .fileNotFound = error.cause, !options.readOnly {
                    // Another process is about to make it.
                    return try waiting.openOnce(account, schema, fill)
                }
                // The writer may have removed what was about to be read.
                attempts += 1
                if attempts > 16 { throw error.cause }
                Platform.pause(for: .milliseconds(attempts))
            }
        }
    }

    /// What a schema is answered with when its store is to be removed. It is, under the lock with
    /// which it was read, and the opening throws this.
    package struct ObsoleteStore: Error {
        package init() {}
    }

    /// The store is to be changed or removed, which only the writer may.
    private struct NeedsLock: Error {}

    private func openOnce(
        _ account: NodeAccount, _ schema: (StoreSchema) throws -> StoreSchema,
        _ fill: (WorkingTree) throws -> Void
    ) throws -> Opened {
        var opening: State?
        let log = try Log.open(
            fileSystem, directory: directory, options: options,
            begin: { opening = try begin($0, account) },
            replay: { commit in
                guard let state = opening else { return }
                do {
                    try CommitRecord.apply(commit.payload, to: state.tree)
                } catch let error as RecordError {
                    // What cannot be read makes no sense, and is not what is wrong.
                    if let failure = account.failure { throw failure }
                    throw error
                }
                _ = state.tree.takeDelta()
                opening?.version = commit.version
            })
        guard var state = opening else { preconditionFailure("A log was opened without a begin") }
        var isFollowable = true
        var shared: SharedJournal?
        var sharedRealm: Bits128?
        do {
            if let failure = account.failure { throw failure }
            shared = try join(log, &state)
            sharedRealm = try shared?.cursor.realm ?? Self.sharedRealm(followedIn: log)
            let wanted = try schema(state.tree.schema)
            if let shared {
                try bring(wanted, to: shared, &state, schema, fill)
            } else if wanted != state.tree.schema {
                if !options.readOnly, !log.isWriting { throw NeedsLock() }
                state.tree.adapt(to: wanted)
                if let found = state.tree.duplicateValues() {
                    throw StorageError.duplicateValues(found)
                }
                state.version = state.version.next
                isFollowable = !options.readOnly
                if !options.readOnly {
                    try Self.commit(wanted, of: state.tree, state.version, to: log)
                }
            }
        } catch {
            guard error is ObsoleteStore, log.isWriting else {
                try? log.close()
                throw error is ObsoleteStore ? NeedsLock() : error
            }
            try log.remove()
            throw error
        }
        let checkpointer = Checkpointer(pages: state.pages, contents: state.contents)
        checkpointer.retireFormer(account)
        state.pages.mayReopen(log.isWriting)
        return Opened(
            log: log, handed: HandedTree(tree: state.tree), version: state.version,
            checkpointer: checkpointer, isFollowable: isFollowable, sharedJournal: shared,
            sharedRealm: sharedRealm)
    }

    private func begin(_ begin: LogBegin, _ account: NodeAccount) throws(StorageError) -> State {
        // An earlier attempt may have met another database in the same place.
        if let known = account.pages, known.database != begin.database { account.forgetPages() }
        let pages =
            account.pages
            ?? PageStore(
                fileSystem: fileSystem, directory: directory + "/pages", database: begin.database,
                cipher: begin.cipher, options: options.pages)
        account.pages = pages
        if begin.isOthers || options.readOnly { pages.mayReopen(false) }
        account.clearFailure()
        guard let record = begin.checkpoint else {
            return State(
                tree: WorkingTree(schema: StoreSchema(), account: account), pages: pages)
        }
        let (root, described) = try Self.load(record, from: pages, account)
        let contents = Checkpointer.Contents(record, described)
        if begin.isOthers { try pages.openAll(contents.segments.values) }
        account.budget.noteStored(contents.live)
        return State(
            tree: WorkingTree(root), version: record.version, pages: pages,
            contents: contents)
    }

    /// The tree that a checkpoint, or the group of a large commit, has in the page files.
    static func load(
        _ record: CheckpointRecord, from pages: PageStore, _ account: NodeAccount
    ) throws(StorageError) -> (root: SnapshotRoot, described: CheckpointContents) {
        let unmanaged = Unmanaged.passUnretained(account)
        let blob = try pages.load(record.contents, account: unmanaged)
        defer { blob.release() }
        let described: CheckpointContents
        do {
            described = try CheckpointContents(Blob.bytes(of: blob))
        } catch {
            throw .corrupted(
                segment: pages.path(record.contents.address.segment),
                offset: record.contents.address.offset, reason: error.reason)
        }
        let root = SnapshotRoot(
            root: try pages.load(record.root, account: unmanaged), version: record.version,
            life: record.replayStart.life, schema: described.schema, account: account)
        guard root.root.count == described.schema.classes.count else {
            throw .corrupted(
                segment: pages.path(record.root.address.segment),
                offset: record.root.address.offset,
                reason: "the tree has \(root.root.count) classes, its schema"
                    + " \(described.schema.classes.count)")
        }
        return (root, described)
    }

    static func commit(
        _ schema: StoreSchema, of tree: WorkingTree, _ version: Version, to log: any Journal
    ) throws(StorageError) {
        let group = CommitGroupBuffer()
        group.onlyDeletes = false
        let delta = tree.takeDelta()
        try group.append(version: version) { (writer) throws(StorageError) in
            CommitRecord.encode(
                delta, of: tree, author: nil, schema: schema, time: 0, into: &writer)
        }
        try log.append(group)
    }
}
