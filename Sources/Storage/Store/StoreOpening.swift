/// Opens a store: replays its log into a tree and brings its schema up to what the caller needs.
package struct StoreOpening {
    package let fileSystem: any FileSystem
    package let directory: String
    package var options = LogOptions()

    package init(fileSystem: any FileSystem, directory: String) {
        self.fileSystem = fileSystem
        self.directory = directory
    }

    /// A store that was opened.
    // Unchecked by construction: the tree is handed to one engine, by whoever opened it.
    package struct Opened: @unchecked Sendable {
        package let log: Log
        package let tree: WorkingTree
        package let version: Version
    }

    /// Opens or makes the store. Blocks on the disk: not for the cooperative pool.
    ///
    /// `schema` gets the stored schema and answers with the one to go on with, which has the same
    /// classes and columns and perhaps more; the addition is a commit of its own.
    package func open(
        account: NodeAccount, schema: (StoreSchema) throws -> StoreSchema
    ) throws -> Opened {
        let tree = WorkingTree(schema: StoreSchema(), account: account)
        var version = Version.zero
        let log = try Log.open(fileSystem, directory: directory, options: options) { commit in
            try CommitRecord.apply(commit.payload, to: tree)
            _ = tree.takeDelta()
            version = commit.version
        }
        do {
            let wanted = try schema(tree.schema)
            if wanted != tree.schema {
                tree.widen(to: wanted)
                version = version.next
                if !options.readOnly { try Self.commit(wanted, of: tree, version, to: log) }
            }
        } catch {
            try? log.close()
            throw error
        }
        return Opened(log: log, tree: tree, version: version)
    }

    private static func commit(
        _ schema: StoreSchema, of tree: WorkingTree, _ version: Version, to log: Log
    ) throws(StorageError) {
        let group = CommitGroupBuffer()
        let delta = tree.takeDelta()
        try group.append(version: version) { (writer) throws(StorageError) in
            CommitRecord.encode(
                delta, of: tree, author: nil, schema: schema, time: 0, into: &writer)
        }
        try log.append(group)
    }
}
