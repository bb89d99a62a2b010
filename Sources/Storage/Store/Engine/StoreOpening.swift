import Foundation

/// Opens a store: loads its checkpoint, replays the log after it, and extends the schema to what
/// the caller needs.
package struct StoreOpening {
    package let fileSystem: any FileSystem
    package let directory: String
    package var options = LogOptions()
    /// The realm on a shared log; nil for one of this host only.
    package var sharedRealm: SharedRealm?

    package init(fileSystem: any FileSystem, directory: String) {
        self.fileSystem = fileSystem
        self.directory = directory.withoutTrailingSlashes
    }

    /// A store that was opened.
    package struct Opened: Sendable {
        package let log: Log
        let transferred: TransferredTree
        package let version: Version
        /// Writes the store's checkpoints.
        package let checkpointer: Checkpointer
        /// Whether the tree is that of the log, so that it can be followed. Not so if the store was
        /// opened read-only with models that extend the schema: it then shows the version that it
        /// was opened with.
        package var isFollowable = true
        /// The journal of a realm on a shared log.
        var sharedJournal: SharedJournal?
        /// The identifier of the realm on a shared log; nil for others.
        package var sharedRealm: Bits128?

        package var tree: WorkingTree { transferred.tree }
    }

    /// The state of replay.
    struct State {
        var tree: WorkingTree
        var version = Version.zero { didSet { time = nil } }
        var pages: PageStore
        var contents = Checkpointer.Contents()
        /// The time of the commit that made ``version``, which clears it when it is set; nil if it
        /// is not known.
        var time: Double?
    }

    /// Opens or creates the store. Blocks on the disk: not for the cooperative pool.
    ///
    /// `schema` gets the stored schema and returns the one to use, which must extend it, with more
    /// classes and columns or other indexes; the change is a commit of its own. Or it throws
    /// ``ObsoleteStore``. It is called again if the store has to be read again. On a shared log,
    /// `fill` then sets the values of new columns.
    ///
    /// If another process writes and ``LogOptions/isShared`` is set, follows that one, and waits
    /// for the writer lease only to create the store, or to change the schema.
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
                    // Another process is creating it.
                    return try waiting.openOnce(account, schema, fill)
                }
                // The writer may have removed the files that were to be read.
                attempts += 1
                if attempts > 16 { throw error.cause }
                Platform.pause(for: .milliseconds(attempts))
            }
        }
    }

    /// Thrown by `schema` to have the store removed, under the lock with which it was read. The
    /// opening then throws this.
    package struct ObsoleteStore: Error {
        package init() {}
    }

    /// The store must be changed or removed, which requires the writer lease.
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
                    // After a failed read, the record only seems malformed.
                    if let failure = account.failure { throw failure }
                    throw error
                }
                _ = state.tree.takeDelta()
                opening?.version = commit.version
                opening?.time = CommitRecord.time(of: commit.payload)
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
                try publishSchema(wanted, to: shared, &state, schema, fill)
            } else if wanted != state.tree.schema {
                if !options.readOnly, !log.isWriting { throw NeedsLock() }
                let before = state.tree.capture(version: state.version, life: log.lastLife)
                state.tree.adapt(to: wanted)
                try state.tree.requireUniqueValues()
                state.version = state.version.next
                isFollowable = !options.readOnly
                if !options.readOnly { try state.commit(wanted, behind: before, to: log) }
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
        shared?.endOpening()
        return Opened(
            log: log, transferred: TransferredTree(tree: state.tree), version: state.version,
            checkpointer: checkpointer, isFollowable: isFollowable, sharedJournal: shared,
            sharedRealm: sharedRealm)
    }

    private func begin(_ begin: LogBegin, _ account: NodeAccount) throws(StorageError) -> State {
        // An earlier attempt may have read another database at the same path.
        if let known = account.pages, known.database != begin.database { account.forgetPages() }
        let pages =
            account.pages
            ?? PageStore(
                fileSystem: fileSystem, directory: directory + "/pages", database: begin.database,
                cipher: begin.cipher, options: options.pages)
        account.pages = pages
        if begin.mayLosePages || options.readOnly { pages.mayReopen(false) }
        account.clearFailure()
        guard let record = begin.checkpoint else {
            return State(
                tree: WorkingTree(schema: StoreSchema(), account: account), pages: pages)
        }
        let (root, described) = try Self.load(record, from: pages, account)
        let contents = Checkpointer.Contents(record, described)
        if begin.mayLosePages { try pages.openAll(contents.segments.values) }
        account.budget.noteStored(contents.live)
        return State(
            tree: WorkingTree(root), version: record.version, pages: pages,
            contents: contents)
    }

    /// The tree of a checkpoint, or of a page commit's group, in the page files.
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
        // A commit that only changes the schema has no time, since it changes no values.
        let time = delta.isEmpty ? 0 : Date().timeIntervalSince1970
        try group.append(version: version) { (writer) throws(StorageError) in
            CommitRecord.encode(
                delta, of: tree, author: nil, schema: schema, time: time, into: &writer)
            // A failed read may have been treated as empty.
            if let failure = tree.account.failure { throw failure }
        }
        try log.append(group)
    }
}
