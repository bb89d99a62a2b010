import Synchronization

extension SharedJournal {
    /// Goes on from the newest image, whose tree takes the place of the folder's at `version`, and
    /// is returned; nil where the folder has it already, or more.
    ///
    /// The caller has the write turn, or opens the store, and nothing is on its way.
    ///
    /// - Parameter goesOn: once it is false, no image is read on, and nothing is left of it.
    /// - Throws: ``StorageError/outOfSpace(path:)``: nothing is left of the image, or all of it is
    ///   in the folder but for the checkpoint, with which the next call goes on.
    func jump(
        from version: Version, _ checkpointer: Checkpointer, _ account: NodeAccount,
        while goesOn: @escaping @Sendable () -> Bool = { true }
    ) throws(StorageError) -> SnapshotRoot? {
        let store = local.store
        let folder = StoreDirectory(
            fileSystem: store.fileSystem, path: store.path + "/" + StoreDirectory.imageName)
        // Of an attempt that was cut off, too: the space may be needed.
        discard(folder)
        let resumed = try goOnFromPages(checkpointer, account)
        do throws(StorageError) {
            let reached = resumed?.version ?? version
            let isComplete = resumed != nil
            if let root = try take(
                over: reached, isComplete: isComplete, by: folder, checkpointer, account,
                while: goesOn)
            {
                return root
            }
        } catch {
            // The caller has to show what this folder has. What was in the way comes again with
            // the next call.
            guard let resumed, local.failure == nil,
                checkpointer.contents.version == resumed.version
            else { throw error }
        }
        return resumed
    }

    /// Takes the newest image over, unless the folder has `version` with all that is in it.
    /// `isComplete`: nothing of what that makes superfluous is left.
    private func take(
        over version: Version, isComplete: Bool, by folder: StoreDirectory,
        _ checkpointer: Checkpointer, _ account: NodeAccount,
        while goesOn: @escaping @Sendable () -> Bool
    ) throws(StorageError) -> SnapshotRoot? {
        if version == .zero, let root = try begin(checkpointer, account, while: goesOn) {
            return root
        }
        defer { discard(folder) }
        let (header, root) = try fetchImage(while: goesOn) {
            (image) throws(StorageError) -> (SharedImageHeader, SnapshotRoot?) in
            let header = try keptHeader(of: image, while: goesOn)
            if header.cursor.version > version {
                try fetchIfItFits(image, header, into: folder, while: goesOn)
                return (header, try install(header, folder, checkpointer, account))
            }
            if header.cursor.version < version || isComplete { return (header, nil) }
            // The power may have failed behind its checkpoint.
            return (header, try goOnFromPages(checkpointer, account, afterCheckpoint: true))
        }
        note(header)
        return root
    }

    /// Removes what there is of an image's files.
    private func discard(_ folder: StoreDirectory) {
        try? folder.removeStore()
        // Without space there may be nothing but the folder.
        try? folder.fileSystem.remove(folder.path)
    }

    private func note(_ header: SharedImageHeader) {
        goOn(from: header)
        // What fails here is found out once more after the next opening.
        try? noteInFolder()
    }

    // MARK: A folder that has something

    /// Makes the files of an image in a folder, if there is space for them and for the tree that is
    /// made of them. An open host tries again soon, and does not read an image each time that it
    /// has no space for.
    private func fetchIfItFits(
        _ image: SharedLogImage, _ header: SharedImageHeader, into folder: StoreDirectory,
        while goesOn: @escaping @Sendable () -> Bool
    ) throws(StorageError) {
        do throws(StorageError) {
            try folder.removeStore()
            // The limit keeps the sum from overflowing, whatever the header says.
            guard local.reserve.hasSpaceBeside(2 * min(header.length, 1 << 60)) else {
                throw StorageError.outOfSpace(path: folder.path)
            }
            try fetch(image, header, into: folder, while: goesOn)
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
                // Then nothing of it is there. After any other failure the group may be.
                if error.isShortage { checkpointer.removeUninstalled() }
                throw error
            }
            return try goOn(from: places, at: reached, checkpointer, account)
        }
    }

    /// Writes the tree of an image to the page files. Nothing refers to it yet, and where it cannot
    /// be written nothing of it stays.
    private func copy(
        _ snapshot: SnapshotRoot, of header: SharedImageHeader, _ checkpointer: Checkpointer
    ) throws(StorageError) -> GroupTree {
        do throws(StorageError) {
            let written = try checkpointer.writeCopy(of: snapshot) { _ in }
            return GroupTree(root: written.root, contents: written.contents)
        } catch {
            checkpointer.removeUninstalled()
            // It is only the image that is read.
            if case .corrupted(_, _, let reason) = error { throw header.damage(reason) }
            throw error.claimingSpace
        }
    }

    /// Says in the log of the folder that the page files have a tree. One frame: before it the
    /// folder has its own tree, and behind it the other one.
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

    // MARK: A folder that has nothing

    /// The page files of an image that are this folder's by now.
    private struct Adoption {
        var files: AdoptedImage
        let header: SharedImageHeader
        let record: CheckpointRecord
        let root: SnapshotRoot
    }

    /// Begins with the newest image, whose page files the folder takes over; nil where it cannot,
    /// and the tree has to be copied.
    private func begin(
        _ checkpointer: Checkpointer, _ account: NodeAccount,
        while goesOn: @escaping @Sendable () -> Bool
    ) throws(StorageError) -> SnapshotRoot? {
        // In an encrypted realm each folder has a key of its own, and a node is sealed for its
        // file.
        if local.store.cipher != nil || checkpointer.contents.root != nil { return nil }
        return try checkpointer.exclusively { () throws(StorageError) -> SnapshotRoot? in
            // A disk may have no space for what an earlier attempt has left and the image.
            checkpointer.removeUnknown()
            let adoption = try fetchImage(while: goesOn) { (image) throws(StorageError) in
                try adopt(image, checkpointer.pages, account, while: goesOn)
            }
            guard var adoption else { return nil }
            let record = adoption.record
            let places = GroupTree(root: record.root, contents: record.contents)
            let tree = WorkingTree(adoption.root)
            do throws(StorageError) {
                try append(
                    places, of: tree, tree.takeDelta(), adoption.root.schema, at: record.version)
            } catch {
                // Then nothing of it is there, and a full disk needs the space. After any other
                // failure the group may be there.
                if error.isShortage { adoption.files.abandon() }
                throw error
            }
            let root = try goOn(from: places, at: record.version, checkpointer, account)
            note(adoption.header)
            return root
        }
    }

    private func adopt(
        _ image: SharedLogImage, _ pages: PageStore, _ account: NodeAccount,
        while goesOn: @escaping @Sendable () -> Bool
    ) throws(StorageError) -> Adoption? {
        let header = try keptHeader(of: image, while: goesOn)
        var reader = SharedImageReader(AdoptedImage(pages, header), header)
        do throws(StorageError) {
            try read(image, into: &reader, while: goesOn)
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

    // MARK: From there on

    /// Goes on from the tree of the page files, where that is what the log ends with and no
    /// checkpoint follows: the power failed before that, or there was no space for it. With
    /// `afterCheckpoint`, also where one does. Nil where it is not so.
    private func goOnFromPages(
        _ checkpointer: Checkpointer, _ account: NodeAccount, afterCheckpoint: Bool = false
    ) throws(StorageError) -> SnapshotRoot? {
        try checkpointer.exclusively { () throws(StorageError) -> SnapshotRoot? in
            let known = checkpointer.contents
            guard let root = known.root, let contents = known.contents,
                known.version == local.lastVersion,
                afterCheckpoint || local.replayStart(of: known.version) == nil
            else { return nil }
            let places = GroupTree(root: root, contents: contents)
            return try goOn(from: places, at: known.version, checkpointer, account)
        }
    }

    /// Removes everything before a tree from the folder, whose log has it. The history has a gap
    /// there.
    ///
    /// - Throws: ``StorageError/outOfSpace(path:)``, or what ``StorageError/lacksDescriptors`` says
    ///   of: the next jump goes on from there. Until then no other checkpoint is written, since its
    ///   tree would be older than this one.
    private func goOn(
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
            try removeWhatThereIs(behind: root, checkpointer)
            return root
        } catch {
            if isAdopted, error.isShortage { throw error }
            // The files are ahead of the version that readers see.
            local.fail(error)
            throw error
        }
    }

    /// Removes what the checkpoint makes superfluous; without a descriptor, the next one does.
    private func removeWhatThereIs(
        behind root: SnapshotRoot, _ checkpointer: Checkpointer
    ) throws(StorageError) {
        do throws(StorageError) {
            try checkpointer.removeSuperfluous(behind: root, in: local, keepingHistory: false)
        } catch {
            if !error.lacksDescriptors { throw error }
        }
    }

    /// Appends the checkpoint, with the space that is kept for what makes the store smaller where
    /// there is no other: with all that it makes superfluous it gives back more.
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
    /// The last version that it has; zero where another process writes it.
    var lastVersion: Version { state.withLock { $0.writer?.lastVersion ?? .zero } }
}
