/// Opening a realm on a shared log: the folder is brought up to that, or made from it.
extension StoreOpening {
    /// The journal of a realm on a shared log, of which everything is applied to the tree by then;
    /// nil where the realm is this host's alone.
    func join(_ log: Log, _ state: inout State) throws(StorageError) -> SharedJournal? {
        if options.readOnly { return nil }
        let known = try SharedRealmFile.read(in: log.store)
        guard let sharedRealm else {
            guard known != nil else { return nil }
            throw .invalid(
                "\(directory) is a copy of a realm on a shared log. Open it with that log, or"
                    + " read-only.")
        }
        if known == nil, state.version > .zero {
            throw .invalid(
                "\(directory) is a realm that has commits of its own. One on a shared log begins"
                    + " there: open it at a path where nothing is, and import what this one has.")
        }
        if let known, state.version < known.cursor.version {
            throw .sharedLogDiverged(
                reason: "the folder has version \(state.version), and had"
                    + " \(known.cursor.version) before")
        }
        // Page files without a log may be all that is left of another realm.
        let foreign = try known == nil ? state.pages.list() : []
        let file = known ?? SharedRealmFile(host: .random(), cursor: SharedCursor())
        let journal = SharedJournal(log, sharedRealm, host: file.host, cursor: file.cursor)
        Self.removeImages(in: log.store)
        do throws(StorageError) {
            // Before anything is applied: it says which realm the contents of the folder are from.
            if known == nil { try file.write(to: log.store) }
            try Self.bringUp(journal, &state)
        } catch {
            // It was made with a key that nothing has shown to be the realm's, and would open with
            // no other one from then on.
            let hasNothing = journal.cursor.realm == nil && log.lastVersion == .zero
            if hasNothing, foreign.isEmpty, options.known == nil { try? log.remove() }
            throw error
        }
        return journal
    }

    /// Removes what is left of images that were being read or made when the process was killed. It
    /// may have the size of the realm, and other hosts may be the ones that make the next images.
    private static func removeImages(in store: StoreDirectory) {
        for name in StoreDirectory.imageNames {
            // What cannot be removed is in nobody's way.
            try? StoreDirectory(fileSystem: store.fileSystem, path: store.path + "/" + name)
                .removeStore()
        }
    }

    /// Removes the folder that a key does not fit, where it is all that is left of an opening which
    /// was killed before it had read anything: nothing has shown that its key is the realm's. False
    /// where it is more than that, or another process has it.
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

    /// Applies all that the log has, and begins one that has nothing.
    private static func bringUp(
        _ journal: SharedJournal, _ state: inout State
    ) throws(StorageError) {
        // A folder that has read nothing begins with an image, if there is one.
        let hasNothing = journal.cursor.realm == nil
        if hasNothing, try !journal.images().isEmpty {
            do throws(StorageError) {
                try jump(with: journal, &state)
            } catch .sharedLogDiverged, .sharedLogTrimmed {
                // None is of use: it begins with the first entry, while that is there.
            }
        }
        try catchUp(with: journal, &state)
        if journal.cursor.realm == nil {
            try journal.begin(.random())
            try catchUp(with: journal, &state)
        }
        if state.version > journal.cursor.version {
            throw .sharedLogDiverged(
                reason: "this host has version \(state.version), and the log ends with version"
                    + " \(journal.cursor.version)")
        }
        do throws(StorageError) {
            try journal.noteInFolder()
        } catch {
            // The next opening reads again what was not noted, as long as the folder names its
            // realm. On a full disk a realm has to open, so that something can be deleted.
            let isPutOff = !hasNothing && error.claimingSpace.isShortage
            guard isPutOff, journal.failure == nil else { throw error }
        }
    }

    /// The realm on a shared log of which another process keeps the folder as a copy; nil where
    /// there is none, or that process has only begun.
    static func sharedRealm(followedIn log: Log) throws(StorageError) -> Bits128? {
        guard log.options.readOnly else { return nil }
        return try SharedRealmFile.read(in: log.store)?.cursor.realm
    }

    /// Has the shared log say which schema its realm has from here on, with what `fill` writes for
    /// that. Another host may do so at the same time: then `schema` is asked for what is to come on
    /// top of that.
    func bring(
        _ wanted: StoreSchema, to journal: SharedJournal, _ state: inout State,
        _ schema: (StoreSchema) throws -> StoreSchema, _ fill: (WorkingTree) throws -> Void
    ) throws {
        var wanted = wanted
        while wanted != state.tree.schema {
            let tree = state.tree
            let before = tree.capture(version: state.version, life: journal.lastLife)
            try fill(tree)
            tree.adapt(to: wanted)
            if let failure = tree.account.failure { throw failure }
            do throws(StorageError) {
                if let found = tree.duplicateValues() { throw .duplicateValues(found) }
                try Self.commit(wanted, of: tree, state.version.next, to: journal)
                state.version = state.version.next
                return
            } catch .superseded {
                tree.reset(to: before)
                // Hosts that write all the time would come first for long.
                journal.askForTurn()
                try Self.catchUp(with: journal, &state)
            }
            wanted = try schema(state.tree.schema)
        }
    }

    /// Goes on from the newest image of the log.
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
    /// Applies what is new in a group, and appends it to `log`, of which this is the tree; keeps to
    /// the memory budget. Ends before the first commit that `isWanted` refuses, and is false then.
    @discardableResult
    mutating func apply(
        _ group: SharedGroup, in log: Log, while isWanted: (CommitView) -> Bool = { _ in true }
    ) throws(StorageError) -> Bool {
        if group.lastVersion <= version { return true }
        let tree = tree
        let buffer = CommitGroupBuffer(capacity: group.payload.count)
        buffer.onlyDeletes = false
        var isWhole = true
        try group.forEachCommit { (record) throws(StorageError) in
            isWhole = isWhole && isWanted(record)
            guard isWhole else { return }
            do throws(RecordError) {
                try CommitRecord.apply(record.payload, to: tree)
            } catch {
                throw tree.account.failure
                    ?? .sharedLogDiverged(reason: "commit \(record.version): \(error.reason)")
            }
            _ = tree.takeDelta()
            try buffer.append(version: record.version, payload: record.payload)
        }
        if let failure = tree.account.failure { throw failure }
        if buffer.isEmpty { return isWhole }
        // The log uses the buffer up.
        let reached = buffer.lastVersion
        try log.append(buffer)
        version = reached
        try keepToMemoryBudget(log)
        return isWhole
    }
}

extension StoreDirectory {
    /// Whether it was made for a realm on a shared log, and has nothing of that.
    fileprivate func isUnread() throws(StorageError) -> Bool {
        guard let known = try SharedRealmFile.read(in: self), known.cursor.realm == nil else {
            return false
        }
        let segments = try fileSystem.list(logPath).filter { SegmentIndex(fileName: $0) != nil }
        let pages = try fileSystem.list(pagesPath).filter { PageIndex(fileName: $0) != nil }
        return segments.isEmpty && pages.isEmpty
    }
}
