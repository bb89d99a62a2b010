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
        defer { try? folder.removeStore() }
        let header = try fetchImage(into: folder)
        var root: SnapshotRoot?
        if header.cursor.version >= version {
            root = try install(header, folder, over: version, checkpointer, account)
        }
        goOn(from: header)
        // What fails here is found out once more after the next opening.
        try? noteInFolder()
        return root
    }

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
            let reached = header.cursor.version
            if reached > version {
                // One frame: before it the folder has its own tree, and behind it the image's.
                let group = CommitGroupBuffer()
                group.onlyDeletes = false
                try group.append(version: reached) { (writer) throws(StorageError) in
                    CommitRecord.encodeMarks(
                        delta, of: tree, author: nil, schema: snapshot.schema, time: 0,
                        into: &writer)
                }
                group.append(GroupTree(root: written.root, contents: written.contents))
                try local.append(group)
            }
            do throws(StorageError) {
                return try goOn(from: written, at: reached, checkpointer, account)
            } catch {
                // The log has gone beyond what readers see.
                local.fail(error)
                throw error
            }
        }
    }

    /// Removes everything before a tree from the folder. The history has a gap there.
    private func goOn(
        from written: (root: NodePlace, contents: NodePlace), at version: Version,
        _ checkpointer: Checkpointer, _ account: NodeAccount
    ) throws(StorageError) -> SnapshotRoot {
        guard let end = local.end else { throw .invalid("A log has no end.") }
        let record = CheckpointRecord(
            version: version, replayStart: end, root: written.root, contents: written.contents)
        try local.append(record, .erasure)
        try local.removeSegmentsBeforeCheckpoint(keepingHistory: false)
        let (root, described) = try StoreOpening.load(record, from: checkpointer.pages, account)
        checkpointer.adopt(
            Checkpointer.Contents(record, described), capturedAt: root.capture, account: account)
        try checkpointer.removeUnused(capture: root.capture, account: account)
        return root
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
