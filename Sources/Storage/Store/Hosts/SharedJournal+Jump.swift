import Synchronization

extension SharedJournal {
    /// Loads the newest image, whose tree replaces that of the folder at `version`, and is
    /// returned; nil if the folder has that version already, or a newer one.
    ///
    /// The caller has the write turn, or opens the store, and no append is in progress.
    ///
    /// - Parameter monitor: once it is cancelled, an image is read no further and its files are
    ///   removed.
    /// - Throws: ``StorageError/outOfSpace(path:)``: nothing is left of the image, or only its
    ///   checkpoint is missing, with which the next call resumes.
    func jump(
        from version: Version, _ checkpointer: Checkpointer, _ account: NodeAccount,
        monitor: ReadingMonitor = ReadingMonitor()
    ) throws(StorageError) -> SnapshotRoot? {
        try local.requirePlace()
        let store = local.store
        let folder = StoreDirectory(
            fileSystem: store.fileSystem, path: store.path + "/" + StoreDirectory.imageName)
        // Removes the files of an interrupted attempt, whose space may be needed.
        discard(folder)
        let resumed = try resumeFromPages(checkpointer, account)
        do throws(StorageError) {
            let reached = resumed?.version ?? version
            let isComplete = resumed != nil
            if let root = try take(
                over: reached, isComplete: isComplete, by: folder, checkpointer, account,
                monitor: monitor)
            {
                return root
            }
        } catch {
            // The caller must publish the tree that the folder has. The next call meets the error
            // again.
            guard let resumed, local.failure == nil,
                checkpointer.contents.version == resumed.version
            else { throw error }
        }
        return resumed
    }

    /// Loads the newest image, unless the folder has its version. `isComplete`: the files that
    /// `version` has made obsolete were removed.
    private func take(
        over version: Version, isComplete: Bool, by folder: StoreDirectory,
        _ checkpointer: Checkpointer, _ account: NodeAccount,
        monitor: ReadingMonitor
    ) throws(StorageError) -> SnapshotRoot? {
        if version == .zero, let root = try begin(checkpointer, account, monitor: monitor) {
            return root
        }
        defer { discard(folder) }
        let (header, root) = try fetchImage(monitor: monitor) {
            (image) throws(StorageError) -> (SharedImageHeader, SnapshotRoot?) in
            let header = try keptHeader(of: image, monitor: monitor)
            if header.cursor.version > version {
                try fetchIfItFits(image, header, into: folder, checkpointer, monitor: monitor)
                return (header, try install(header, folder, checkpointer, account))
            }
            if header.cursor.version < version || isComplete { return (header, nil) }
            // The power may have failed after its checkpoint.
            return (header, try resumeFromPages(checkpointer, account, afterCheckpoint: true))
        }
        note(header)
        return root
    }

    /// Removes the files of an image.
    private func discard(_ folder: StoreDirectory) {
        try? folder.removeStore()
        // Without space, only the folder may exist.
        try? folder.fileSystem.remove(folder.path)
    }

    private func note(_ header: SharedImageHeader) {
        resume(from: header)
        // After a failure, the next opening reads these entries again.
        try? recordCursor()
    }

    // MARK: Copying into a folder with a tree

    /// Writes the files of an image to a folder, if there is space for them and for the copied
    /// tree. The check comes first, since an open host retries often, and must not read a large
    /// image each time. It waits for a running checkpoint, which may need the space that probing
    /// takes for a moment.
    private func fetchIfItFits(
        _ image: SharedLogImage, _ header: SharedImageHeader, into folder: StoreDirectory,
        _ checkpointer: Checkpointer, monitor: ReadingMonitor
    ) throws(StorageError) {
        do throws(StorageError) {
            try folder.removeStore()
            // The limit keeps the sum from overflowing, for any header.
            let needed = 2 * min(header.length, 1 << 60)
            let fits = try checkpointer.exclusively { () throws(StorageError) -> Bool in
                try local.reserve.hasSpaceBeside(needed)
            }
            guard fits else { throw StorageError.outOfSpace(path: folder.path) }
            try fetch(image, header, into: folder, monitor: monitor)
        } catch {
            throw error.claimingSpace
        }
    }

    private func install(
        _ header: SharedImageHeader, _ folder: StoreDirectory, _ checkpointer: Checkpointer,
        _ account: NodeAccount
    ) throws(StorageError) -> SnapshotRoot {
        let imageAccount = NodeAccount()
        // Each node is read once.
        imageAccount.memoryBudget = account.memoryBudget / 4
        let opened = try open(folder, of: header, imageAccount)
        defer { try? opened.log.close() }
        let tree = opened.tree
        let delta = tree.takeDelta()
        let snapshot = tree.capture(version: opened.version)
        let reached = header.cursor.version
        return try checkpointer.exclusively { () throws(StorageError) -> SnapshotRoot in
            let places = try copy(snapshot, of: header, checkpointer)
            do throws(StorageError) {
                try append(places, of: tree, delta, snapshot.schema, at: reached)
            } catch {
                // An open host retries: each attempt would leave a copy of the realm.
                if local.isUnwritten(after: error) { checkpointer.removeUninstalled() }
                throw error
            }
            return try resume(from: places, at: reached, checkpointer, account)
        }
    }

    /// Writes the tree of an image to the page files. Nothing refers to it yet; after a failure it
    /// is removed.
    private func copy(
        _ snapshot: SnapshotRoot, of header: SharedImageHeader, _ checkpointer: Checkpointer
    ) throws(StorageError) -> GroupTree {
        do throws(StorageError) {
            let written = try checkpointer.writeCopy(of: snapshot) { _ in }
            return GroupTree(root: written.root, contents: written.contents)
        } catch {
            checkpointer.removeUninstalled()
            // Only the image is read, so it is the damaged one.
            if case .corrupted(_, _, let reason) = error { throw header.damage(reason) }
            throw error.claimingSpace
        }
    }

    /// Appends a page commit of the tree to the local log: one frame, which atomically replaces the
    /// folder's tree.
    private func append(
        _ places: GroupTree, of tree: WorkingTree, _ delta: Delta, _ schema: StoreSchema,
        at version: Version
    ) throws(StorageError) {
        let group = CommitGroupBuffer()
        group.onlyDeletes = false
        try group.append(version: version) { (writer) throws(StorageError) in
            CommitRecord.encodeMarks(
                delta, of: tree, author: nil, schema: schema, time: 0, into: &writer)
        }
        group.append(places)
        try local.append(group)
    }

    // MARK: Adopting into an empty folder

    /// The page files of an image that were adopted.
    private struct Adoption {
        var files: AdoptedImage
        let header: SharedImageHeader
        let record: CheckpointRecord
        let root: SnapshotRoot
    }

    /// Begins with the newest image, whose page files are adopted; nil if that is not possible, and
    /// the tree has to be copied.
    private func begin(
        _ checkpointer: Checkpointer, _ account: NodeAccount,
        monitor: ReadingMonitor
    ) throws(StorageError) -> SnapshotRoot? {
        // In an encrypted realm each folder has its own data key, and nodes are sealed for their
        // file.
        if local.store.cipher != nil || checkpointer.contents.root != nil { return nil }
        return try checkpointer.exclusively { () throws(StorageError) -> SnapshotRoot? in
            // Frees the space of an earlier attempt.
            checkpointer.removeUnknown()
            let adoption = try fetchImage(monitor: monitor) { (image) throws(StorageError) in
                try adopt(image, checkpointer.pages, account, monitor: monitor)
            }
            guard var adoption else { return nil }
            let record = adoption.record
            let places = GroupTree(root: record.root, contents: record.contents)
            let tree = WorkingTree(adoption.root)
            do throws(StorageError) {
                try append(
                    places, of: tree, tree.takeDelta(), adoption.root.schema, at: record.version)
            } catch {
                // The space is needed, and a retry makes files of the same names.
                if local.isUnwritten(after: error) { adoption.files.abandon() }
                throw error
            }
            let root = try resume(from: places, at: record.version, checkpointer, account)
            note(adoption.header)
            return root
        }
    }

    private func adopt(
        _ image: SharedLogImage, _ pages: PageStore, _ account: NodeAccount,
        monitor: ReadingMonitor
    ) throws(StorageError) -> Adoption? {
        let header = try keptHeader(of: image, monitor: monitor)
        var reader = SharedImageReader(AdoptedImage(pages, header), header)
        do throws(StorageError) {
            try read(image, into: &reader, monitor: monitor)
            if let places = try reader.files.places(), header.cursor.version > .zero {
                return try adopt(places, header, reader.files, pages, account)
            }
        } catch {
            reader.files.abandon()
            throw error.claimingSpace
        }
        reader.files.abandon()
        return nil
    }

    private func adopt(
        _ places: GroupTree, _ header: SharedImageHeader, _ files: AdoptedImage,
        _ pages: PageStore, _ account: NodeAccount
    ) throws(StorageError) -> Adoption {
        guard let end = local.end else { throw .invalid("A log has no end.") }
        let record = CheckpointRecord(places, version: header.cursor.version, end: end)
        let (root, described): (SnapshotRoot, CheckpointContents)
        do throws(StorageError) {
            (root, described) = try StoreOpening.load(record, from: pages, account)
        } catch .corrupted(_, _, let reason) {
            throw header.damage(reason)
        }
        try files.require(Checkpointer.Contents(record, described).segments.values)
        return Adoption(files: files, header: header, record: record, root: root)
    }

    // MARK: Resuming

    /// Resumes from the tree of the page files, if the log ends with it and has no checkpoint of
    /// it: the power has failed before that, or there was no space for it. With `afterCheckpoint`,
    /// also if there is one. Otherwise nil.
    private func resumeFromPages(
        _ checkpointer: Checkpointer, _ account: NodeAccount, afterCheckpoint: Bool = false
    ) throws(StorageError) -> SnapshotRoot? {
        try checkpointer.exclusively { () throws(StorageError) -> SnapshotRoot? in
            let known = checkpointer.contents
            guard let root = known.root, let contents = known.contents,
                known.version == local.lastVersion,
                afterCheckpoint || local.replayStart(of: known.version) == nil
            else { return nil }
            let places = GroupTree(root: root, contents: contents)
            return try resume(from: places, at: known.version, checkpointer, account)
        }
    }

    /// Makes a checkpoint of a tree that the log has, and removes everything before it from the
    /// folder. The history has a gap there.
    ///
    /// - Throws: ``StorageError/outOfSpace(path:)``, or an error with
    ///   ``StorageError/lacksDescriptors``: the next jump resumes there. Until then no other
    ///   checkpoint is written, since its tree would be older.
    private func resume(
        from tree: GroupTree, at version: Version, _ checkpointer: Checkpointer,
        _ account: NodeAccount
    ) throws(StorageError) -> SnapshotRoot {
        var isAdopted = false
        do throws(StorageError) {
            guard let end = local.end else { throw StorageError.invalid("A log has no end.") }
            let record = CheckpointRecord(tree, version: version, end: end)
            let (root, described) = try StoreOpening.load(record, from: checkpointer.pages, account)
            checkpointer.adopt(
                Checkpointer.Contents(record, described), capturedAt: root.capture,
                account: account)
            isAdopted = true
            try append(record)
            try removeSuperseded(behind: root, checkpointer)
            return root
        } catch {
            if isAdopted, error.isShortage { throw error }
            // The files are ahead of the version that readers see.
            local.fail(error)
            throw error
        }
    }

    /// Removes the files that the checkpoint makes obsolete; without a descriptor, the next one
    /// does.
    private func removeSuperseded(
        behind root: SnapshotRoot, _ checkpointer: Checkpointer
    ) throws(StorageError) {
        do throws(StorageError) {
            try checkpointer.removeSuperfluous(behind: root, in: local, keepingHistory: false)
        } catch {
            if !error.lacksDescriptors { throw error }
        }
    }

    /// Appends the checkpoint. On a full disk it uses the space reserved for deletions, since the
    /// checkpoint frees more.
    private func append(_ record: CheckpointRecord) throws(StorageError) {
        do throws(StorageError) {
            return try local.append(record, .erasure)
        } catch .outOfSpace {
            local.releaseSpace()
        }
        defer { try? local.reserve.refill() }
        try local.append(record, .erasure)
    }

    /// Opens the store of an image to read it.
    private func open(
        _ folder: StoreDirectory, of header: SharedImageHeader, _ account: NodeAccount
    ) throws(StorageError) -> StoreOpening.Opened {
        var opening = StoreOpening(fileSystem: folder.fileSystem, directory: folder.path)
        opening.options.readOnly = true
        opening.options.encryptionKey = realm.key
        opening.options.preparesInBackground = local.options.preparesInBackground
        do {
            return try opening.open(account: account) { $0 }
        } catch {
            switch error as? StorageError {
            case .corrupted(_, _, let reason)?, .notARealm(_, let reason)?:
                throw header.damage(reason)
            case .fileNotFound?: throw header.damage("it has no superblock")
            // Its parts were sealed with the realm's key, or with none, as the realm is.
            case .keyMissing?, .notEncrypted?, .wrongKey?:
                throw header.damage("its files have another key")
            case let other?: throw other
            case nil: throw .invalid("An image cannot be opened: \(error)")
            }
        }
    }
}

extension Checkpointer {
    /// Removes page files that were written for a tree which nothing refers to. The caller is in
    /// ``exclusively(_:)``.
    fileprivate func removeUninstalled() {
        let known = contents.segments
        let retired = Set(pages.retired.withLock { $0.indexes })
        let made = pages.openIndexes.filter { index in
            known[index] == nil && !retired.contains(index) && !pages.isSpill(index)
        }
        removeUnknown()
        // An open file keeps its space.
        pages.close(made)
    }
}

extension Log {
    /// The last version that it has; zero if another process writes it.
    var lastVersion: Version { state.withLock { $0.writer?.lastVersion ?? .zero } }

    /// Whether nothing was written of a group whose append has failed: there was a shortage, or the
    /// disk has failed before the write, since a failure of the write latches.
    fileprivate func isUnwritten(after error: StorageError) -> Bool {
        if error.isShortage { return true }
        if case .io = error { return failure == nil }
        return false
    }
}
