extension SharedJournal {
    /// Goes on from the newest image, whose tree takes the place of the folder's at `version`, and
    /// is returned; nil where the folder has it already, or more.
    ///
    /// The caller has the write turn, or opens the store, and nothing is on its way.
    func jump(
        from version: Version, _ checkpointer: Checkpointer, _ account: NodeAccount
    ) throws(StorageError) -> SnapshotRoot? {
        let store = local.store
        let folder = StoreDirectory(
            fileSystem: store.fileSystem, path: store.path + "/" + StoreDirectory.imageName)
        // Of an attempt that was cut off, too: the space may be needed.
        try? folder.removeStore()
        if version == .zero, let root = try begin(checkpointer, account) { return root }
        defer { try? folder.removeStore() }
        let header = try fetchImage { (image) throws(StorageError) in
            try folder.removeStore()
            return try fetch(image, into: folder)
        }
        var root: SnapshotRoot?
        if header.cursor.version >= version {
            root = try install(header, folder, over: version, checkpointer, account)
        }
        note(header)
        return root
    }

    private func note(_ header: SharedImageHeader) {
        goOn(from: header)
        // What fails here is found out once more after the next opening.
        try? noteInFolder()
    }

    // MARK: A folder that has something

    private func install(
        _ header: SharedImageHeader, _ folder: StoreDirectory, over version: Version,
        _ checkpointer: Checkpointer, _ account: NodeAccount
    ) throws(StorageError) -> SnapshotRoot {
        let imageAccount = NodeAccount()
        // Each node is read once.
        imageAccount.memoryBudget = account.memoryBudget / 4
        let opened = try open(folder, imageAccount)
        defer { try? opened.log.close() }
        let tree = opened.tree
        let delta = tree.takeDelta()
        let snapshot = tree.capture(version: opened.version)
        return try checkpointer.exclusively { () throws(StorageError) in
            let written = try checkpointer.writeCopy(of: snapshot) { _ in }
            let places = GroupTree(root: written.root, contents: written.contents)
            let reached = header.cursor.version
            if reached > version {
                try append(places, of: tree, delta, snapshot.schema, at: reached)
            }
            return try goOn(from: places, at: reached, checkpointer, account)
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
        _ checkpointer: Checkpointer, _ account: NodeAccount
    ) throws(StorageError) -> SnapshotRoot? {
        // In an encrypted realm each folder has a key of its own, and a node is sealed for its
        // file.
        if local.store.cipher != nil || checkpointer.contents.root != nil { return nil }
        return try checkpointer.exclusively { () throws(StorageError) -> SnapshotRoot? in
            // A disk may have no room for what an earlier attempt has left and the image.
            checkpointer.removeUnknown()
            let adoption = try fetchImage { (image) throws(StorageError) in
                try adopt(image, checkpointer.pages, account)
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
                if case .outOfSpace = error { adoption.files.abandon() }
                throw error
            }
            let root = try goOn(from: places, at: record.version, checkpointer, account)
            note(adoption.header)
            return root
        }
    }

    private func adopt(
        _ image: SharedLogImage, _ pages: PageStore, _ account: NodeAccount
    ) throws(StorageError) -> Adoption? {
        let header = try keptHeader(of: image)
        var reader = SharedImageReader(AdoptedImage(pages, header), header)
        do throws(StorageError) {
            try read(image, into: &reader)
            if let places = try reader.files.places(), header.cursor.version > .zero {
                return try adopt(places, header, reader.files, pages, account)
            }
        } catch {
            reader.files.abandon()
            throw error
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

    /// Removes everything before a tree from the folder. The history has a gap there.
    private func goOn(
        from tree: GroupTree, at version: Version, _ checkpointer: Checkpointer,
        _ account: NodeAccount
    ) throws(StorageError) -> SnapshotRoot {
        do throws(StorageError) {
            guard let end = local.end else { throw .invalid("A log has no end.") }
            let record = CheckpointRecord(tree, version: version, end: end)
            try local.append(record, .erasure)
            let (root, described) = try StoreOpening.load(record, from: checkpointer.pages, account)
            checkpointer.adopt(
                Checkpointer.Contents(record, described), capturedAt: root.capture,
                account: account)
            try checkpointer.removeSuperfluous(behind: root, in: local, keepingHistory: false)
            return root
        } catch {
            // The log has gone beyond what readers see.
            local.fail(error)
            throw error
        }
    }

    /// Opens the store of an image to read it.
    func open(
        _ folder: StoreDirectory, _ account: NodeAccount
    ) throws(StorageError) -> StoreOpening.Opened {
        var opening = StoreOpening(fileSystem: folder.fileSystem, directory: folder.path)
        opening.options.readOnly = true
        opening.options.encryptionKey = realm.key
        opening.options.preparesInBackground = local.options.preparesInBackground
        do {
            return try opening.open(account: account) { $0 }
        } catch {
            throw error as? StorageError ?? .invalid("An image cannot be opened: \(error)")
        }
    }
}
