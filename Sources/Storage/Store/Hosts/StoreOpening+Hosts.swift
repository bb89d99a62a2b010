/// Opening a realm on a shared log: the folder is updated from the log, or created from it.
extension StoreOpening {
    /// The journal of a realm on a shared log, after all of it was applied to the tree; nil if only
    /// this host has the realm.
    func join(_ log: Log, _ state: inout State) throws(StorageError) -> SharedJournal? {
        if options.readOnly { return nil }
        let known = try SharedRealmFile.read(in: log.store)
        guard let sharedRealm else {
            guard known != nil else { return nil }
            throw .invalid(
                "'\(directory)' is a copy of a realm on a shared log. Open it with that log, or "
                    + "read-only.")
        }
        if known == nil, state.version > .zero {
            throw .invalid(
                "'\(directory)' is a realm with commits of its own, and cannot be opened on a "
                    + "shared log. Open the realm of the log at a path that does not exist, and "
                    + "import the objects of this one.")
        }
        if let known, state.version < known.cursor.version {
            throw .sharedLogDiverged(
                reason: "the folder has version \(state.version), and had"
                    + " \(known.cursor.version) before")
        }
        // Page files without a log may be all that is left of another realm.
        let foreign = try known == nil ? state.pages.list() : []
        let file = known ?? SharedRealmFile(host: .random(), cursor: SharedCursor())
        let journal = SharedJournal(
            log, sharedRealm, host: file.host, cursor: file.cursor, opening: options.monitor)
        Self.removeImages(in: log.store)
        do throws(StorageError) {
            // Written before anything is applied, since it records the realm of the folder's
            // contents.
            if known == nil { try file.write(to: log.store) }
            try Self.catchUpOrInitialize(journal, &state)
        } catch {
            // The folder was created with a key that was not verified against the realm, and could
            // not be opened with any other one later.
            let hasNothing = journal.cursor.realm == nil && log.lastVersion == .zero
            if hasNothing, foreign.isEmpty, options.known == nil { try? log.remove() }
            throw error
        }
        return journal
    }

    /// Removes the leftovers of images that were being read or made when the process was killed.
    /// They may be as large as the realm, and perhaps only other hosts will make the next images.
    private static func removeImages(in store: StoreDirectory) {
        for name in StoreDirectory.imageNames {
            // Leftovers that cannot be removed do no harm.
            try? StoreDirectory(fileSystem: store.fileSystem, path: store.path + "/" + name)
                .removeStore()
        }
    }

    /// Removes a folder that does not fit the key, if it was only left by an opening that was
    /// killed before it had read anything: its key was not verified against the realm. False if it
    /// has more than that, or another process uses it.
    func removeUnread(after error: StorageError) -> Bool {
        switch error {
        case .wrongKey, .keyMissing, .notEncrypted: break
        default: return false
        }
        guard sharedRealm != nil, !options.readOnly, options.known == nil else { return false }
        let store = StoreDirectory(fileSystem: fileSystem, path: directory)
        var isUnread = false
        try? store.removeStore { () throws(StorageError) in
            isUnread = try store.isUnread()
            return isUnread
        }
        return isUnread
    }

    /// Applies the whole log, or initializes an empty one.
    private static func catchUpOrInitialize(
        _ journal: SharedJournal, _ state: inout State
    ) throws(StorageError) {
        // A folder without entries begins with an image, if there is one.
        let hasNothing = journal.cursor.realm == nil
        if hasNothing, try !journal.images().isEmpty {
            do throws(StorageError) {
                try jump(with: journal, &state)
            } catch .sharedLogDiverged, .sharedLogTrimmed {
                // No image is usable: continues with the first entry, if it still exists.
            }
        }
        try catchUp(with: journal, &state)
        if journal.cursor.realm == nil {
            try journal.begin(.random())
            // The end is determined again: a stale response would seem to be an empty log.
            journal.demandBarrier()
            try catchUp(with: journal, &state)
        }
        if state.version > journal.cursor.version {
            throw .sharedLogDiverged(
                reason: "this host has version \(state.version), and the log ends with version"
                    + " \(journal.cursor.version)")
        }
        do throws(StorageError) {
            try journal.recordCursor()
        } catch {
            // The next opening reads unrecorded entries again, as long as the folder has its realm.
            // On a full disk a realm must open, so that something can be deleted.
            let isDeferred = !hasNothing && error.claimingSpace.isShortage
            guard isDeferred, journal.failure == nil else { throw error }
        }
    }

    /// The realm on a shared log whose local copy another process maintains in the folder; nil if
    /// there is none, or that process has only begun.
    static func sharedRealm(followedIn log: Log) throws(StorageError) -> Bits128? {
        guard log.options.readOnly else { return nil }
        return try SharedRealmFile.read(in: log.store)?.cursor.realm
    }

    /// Publishes a schema to the shared log, with the values that `fill` writes for it. Another
    /// host may do so concurrently: then `schema` is called again to extend that one.
    ///
    /// - Throws: ``StorageError/superseded`` when other hosts commit first until the timeout.
    func publishSchema(
        _ wanted: StoreSchema, to journal: SharedJournal, _ state: inout State,
        _ schema: (StoreSchema) throws -> StoreSchema, _ fill: (WorkingTree) throws -> Void
    ) throws {
        var wanted = wanted
        var hasMadeRoom = false
        let deadline = journal.realm.timeout.map { Instant.now + $0 }
        while wanted != state.tree.schema {
            let tree = state.tree
            let before = tree.capture(version: state.version, life: journal.lastLife)
            try fill(tree)
            tree.adapt(to: wanted)
            try tree.requireUniqueValues()
            let version = state.version.next
            guard let refusal = try Self.tryCommit(wanted, of: tree, version, to: journal) else {
                state.version = version
                return
            }
            tree.reset(to: before)
            if refusal == .superseded {
                if let deadline, Instant.now > deadline { throw refusal }
                // Hosts that write continuously would win the appends for a long time.
                journal.requestLease()
                try Self.catchUp(with: journal, &state)
            } else {
                if hasMadeRoom { throw refusal }
                hasMadeRoom = true
                try state.makeRoom(in: journal.local)
            }
            wanted = try schema(state.tree.schema)
        }
    }

    /// Commits the schema; returns why nothing was appended, if another host was first, or the
    /// folder has no space.
    private static func tryCommit(
        _ schema: StoreSchema, of tree: WorkingTree, _ version: Version, to journal: SharedJournal
    ) throws(StorageError) -> StorageError? {
        do throws(StorageError) {
            try commit(schema, of: tree, version, to: journal)
            return nil
        } catch {
            switch error {
            case .superseded, .outOfSpace: return error
            default: throw error
            }
        }
    }

    /// Continues with the newest image of the log.
    private static func jump(
        with journal: SharedJournal, _ state: inout State
    ) throws(StorageError) {
        let checkpointer = Checkpointer(pages: state.pages, contents: state.contents)
        let account = state.tree.account
        guard let root = try journal.jump(from: state.version, checkpointer, account) else {
            return
        }
        state.tree = WorkingTree(root)
        state.version = root.version
        state.contents = checkpointer.contents
    }

    private static func catchUp(
        with journal: SharedJournal, _ state: inout State
    ) throws(StorageError) {
        var reached = state
        defer { state = reached }
        try journal.catchUp { (group) throws(StorageError) in
            try reached.apply(group, in: journal.local)
        } orJump: { () throws(StorageError) in
            try jump(with: journal, &reached)
        }
    }
}

extension StoreOpening.State {
    /// Applies the new commits of a group to this tree, and appends them to `log`, its log, within
    /// the memory budget. Ends before the first commit for which `isWanted` is false, and returns
    /// false then.
    @discardableResult
    mutating func apply(
        _ group: SharedGroup, in log: Log, while isWanted: (CommitView) -> Bool = { _ in true }
    ) throws(StorageError) -> Bool {
        if group.firstVersion <= version {
            try requireOwnVersion(in: group)
            return true
        }
        let tree = tree
        let buffer = CommitGroupBuffer(capacity: group.payload.count)
        buffer.onlyDeletes = false
        var isWhole = true
        try group.forEachCommit { (record) throws(StorageError) in
            isWhole = isWhole && isWanted(record)
            if isWhole { try buffer.append(version: record.version, payload: record.payload) }
        }
        if buffer.isEmpty { return isWhole }
        // Appending consumes the buffer.
        let reached = buffer.lastVersion
        // Before the commits are applied, while the tree is still that of the log.
        try makeRoom(for: buffer, in: log)
        var lastTime: Double?
        try group.forEachCommit { (record) throws(StorageError) in
            guard record.version <= reached else { return }
            lastTime = CommitRecord.time(of: record.payload)
            do throws(RecordError) {
                try CommitRecord.apply(record.payload, to: tree)
            } catch {
                throw tree.account.failure
                    ?? .sharedLogDiverged(reason: "commit \(record.version): \(error.reason)")
            }
            _ = tree.takeDelta()
        }
        if let failure = tree.account.failure { throw failure }
        try log.append(buffer)
        version = reached
        time = lastTime
        try enforceMemoryBudget(log)
        return isWhole
    }

    /// Checks that a group which has the version of this tree was applied to it: the group ends
    /// with that version, and its commit has the same time.
    ///
    /// A host that was killed has no hash of the entries that it has applied since it last recorded
    /// its position. If the log has lost them and got others instead, these have the same versions.
    private func requireOwnVersion(in group: SharedGroup) throws(StorageError) {
        if group.lastVersion < version { return }
        var isOther = group.lastVersion > version
        if let time, !isOther {
            try group.forEachCommit { (record) throws(StorageError) in
                guard record.version == version else { return }
                isOther = CommitRecord.time(of: record.payload) != time
            }
        }
        if isOther {
            throw .sharedLogDiverged(
                reason: "it has another version \(version) than the folder of this host")
        }
    }
}

extension StoreDirectory {
    /// Whether it was created for a realm on a shared log, and has read nothing of it.
    fileprivate func isUnread() throws(StorageError) -> Bool {
        guard let known = try SharedRealmFile.read(in: self), known.cursor.realm == nil else {
            return false
        }
        let segments = try fileSystem.list(logPath).filter { SegmentIndex(fileName: $0) != nil }
        let pages = try fileSystem.list(pagesPath).filter { PageIndex(fileName: $0) != nil }
        return segments.isEmpty && pages.isEmpty
    }
}
