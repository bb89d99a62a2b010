/// Which database is in a folder: from its superblock, or from its log if that is lost.
extension Log {
    /// The identity of a database, as far as it is known before the log is read.
    struct Identity {
        /// Its folder, with the cipher of its files.
        var store: StoreDirectory
        var superblock: Superblock
        var list: SegmentList
        var isNew = false
    }

    /// Determines which database this is. Creates a store that does not exist or never had a
    /// commit, and rebuilds a lost superblock from the segments.
    static func identify(
        _ store: StoreDirectory, _ options: LogOptions
    ) throws(StorageError) -> Identity {
        var store = store
        store.cipher = store.cipher ?? options.known?.cipher
        let readable = try store.readSuperblock()
        if readable == nil, try store.isBeingRemoved() {
            if options.known != nil { throw .replaced(path: store.path) }
            if options.readOnly { throw .fileNotFound(path: store.superblockPath) }
            try store.finishRemoval()
        }
        // With a checkpoint whose tree the page files lack.
        var incomplete: Identity?
        if let superblock = readable {
            try store.require(superblock.database, options)
            try store.unlock(superblock.database, superblock.algorithm, options.encryptionKey)
            try store.requireAuthentic(superblock)
            let first = superblock.checkpoint?.record.replayStart.segment ?? .first
            let list = try segments(of: store, superblock.database, first: first)
            // Without a segment nothing was ever acknowledged, and an earlier attempt to create the
            // store may have failed half-way.
            if list.segments.isEmpty, superblock.checkpoint == nil, !options.readOnly {
                try store.create(superblock)
            }
            let isThere = list.segments.first?.header.index == first
            if isThere || list.segments.isEmpty && list.breakReason == nil {
                let found = Identity(store: store, superblock: superblock, list: list)
                guard isThere, superblock.hasDamagedSlots,
                    let record = superblock.checkpoint?.record,
                    try !holdsTree(of: record, store, superblock.database)
                else { return found }
                incomplete = found
            }
            // The newer of the two generations is lost, and this one refers to files that were
            // removed.
        }
        var list = try segments(of: store, readable?.database, first: nil)
        let breakReason = list.breakReason
        if breakReason != nil, let run = list.lastRun {
            // A checkpoint in the segments after the last gap contains everything before it: those
            // before the gap may be leftovers, whose removal a power failure has undone.
            list = try segments(of: store, readable?.database ?? list.database, first: run)
        }
        if let header = list.segments.first?.header {
            do throws(StorageError) {
                return try remake(store, list, header, options, after: readable)
            } catch .corrupted(let segment, let offset, let reason) {
                // Nothing newer was lost: the page files are damaged, as the opening will report.
                if let incomplete { return incomplete }
                if let breakReason { throw broken(store, breakReason) }
                throw .corrupted(segment: segment, offset: offset, reason: reason)
            }
        }
        if let breakReason { throw broken(store, breakReason) }
        if options.known != nil { throw .replaced(path: store.path) }
        try requireNoPages(of: store)
        if options.readOnly { throw .fileNotFound(path: store.superblockPath) }
        if !options.makesStore, try !store.holdsStore() {
            throw .fileNotFound(path: store.superblockPath)
        }
        var superblock = Superblock(database: .random())
        if let user = options.encryptionKey {
            superblock.algorithm = .aes256GCM
            store.cipher = try store.makeCipher(user, database: superblock.database)
        }
        try store.create(superblock)
        return Identity(store: store, superblock: superblock, list: list, isNew: true)
    }

    /// The identity of a store whose superblock is remade from its log, which begins with `header`.
    /// `older` is a superblock whose files were removed.
    private static func remake(
        _ store: StoreDirectory, _ list: SegmentList, _ header: SegmentHeader,
        _ options: LogOptions, after older: Superblock?
    ) throws(StorageError) -> Identity {
        var store = store
        let database = header.database
        try store.require(database, options)
        try store.unlock(database, header.algorithm, options.encryptionKey)
        var superblock = Superblock(database: database, algorithm: header.algorithm)
        superblock.generation = (older?.generation ?? 0) + 1
        superblock.checkpoint = try findCheckpoint(store, list, older)
        let first = superblock.checkpoint?.record.replayStart.segment ?? .first
        let needed = try segments(of: store, database, first: first)
        if !options.readOnly { try store.create(superblock) }
        return Identity(store: store, superblock: superblock, list: needed)
    }

    /// Throws if only page files are left of a store: creating a new one would remove them. This is
    /// neither a store whose creation was interrupted, which has no page files yet, nor an
    /// interrupted removal, which is marked.
    private static func requireNoPages(of store: StoreDirectory) throws(StorageError) {
        let names: [String]
        do throws(StorageError) {
            names = try store.fileSystem.list(store.pagesPath)
        } catch .fileNotFound {
            return
        }
        guard names.contains(where: { PageIndex(fileName: $0) != nil }) else { return }
        throw .corrupted(
            segment: store.superblockPath, offset: 0,
            reason: "neither the superblock nor the log is left of the store with these page files")
    }

    private static func segments(
        of store: StoreDirectory, _ database: Bits128?, first: SegmentIndex?
    ) throws(StorageError) -> SegmentList {
        try SegmentList.read(
            from: store.fileSystem, directory: store.logPath, database: database, first: first)
    }

    /// The newest checkpoint frame of the log whose tree exists. The tree was durable before the
    /// frame was written, but was removed again if there was no space for the superblock. `older`
    /// is a superblock whose files were removed, behind which a newer one was lost; it proves how
    /// far the log was durable.
    private static func findCheckpoint(
        _ store: StoreDirectory, _ list: SegmentList, _ older: Superblock?
    ) throws(StorageError) -> Superblock.Checkpoint? {
        guard let begin = list.segments.first?.header else { return nil }
        var list = list
        var scanner = makeScanner(store, list, begin.database, older)
        var damage: StorageError?
        while true {
            do throws(StorageError) {
                try scanner.scan { _ in }
                break
            } catch {
                guard case .corrupted = error else { throw error }
                damage = damage ?? error
                // Replay does not need what precedes a checkpoint after the damage.
                guard let damaged = scanner.segment?.index,
                    list.removeSegments(through: damaged)
                else { throw damage ?? error }
                scanner = makeScanner(store, list, begin.database, older)
            }
        }
        let known = older?.checkpoint
        let first = list.segments.first?.header.index ?? begin.index
        for checkpoint in scanner.checkpoints.reversed() {
            if let known, checkpoint.position <= known.position { break }
            // The log that it needs was removed, or is damaged.
            if checkpoint.record.replayStart.segment < first { break }
            if try holdsTree(of: checkpoint.record, store, begin.database) { return checkpoint }
        }
        if let damage { throw damage }
        if known != nil {
            throw .corrupted(
                segment: store.superblockPath, offset: 0,
                reason: "files of its checkpoint are missing, and the log has no newer one")
        }
        if first == .first { return nil }
        throw .corrupted(
            segment: store.logPath, offset: 0,
            reason: "the superblock is lost, and the log no longer begins with segment 1")
    }

    private static func makeScanner(
        _ store: StoreDirectory, _ list: SegmentList, _ database: Bits128, _ older: Superblock?
    ) -> LogScanner {
        var scanner = LogScanner(
            fileSystem: store.fileSystem, list: list, database: database, horizon: nil,
            cipher: store.cipher)
        if let older, let end = older.checkpoint?.end(older.algorithm) { scanner.prove(end) }
        return scanner
    }

    private static func broken(_ store: StoreDirectory, _ reason: String) -> StorageError {
        .corrupted(segment: store.logPath, offset: 0, reason: reason)
    }
}
