/// Reads what can be read of a damaged store into a new one. The damaged store is not changed.
///
/// It begins with what the page files of the latest checkpoint have and applies the commits of the
/// log behind it, so that an object whose nodes, or creation and changes, can be read comes out as
/// it was.
package struct StoreSalvage {
    package let fileSystem: any FileSystem
    package let directory: String
    package let destination: String
    package var options = LogOptions()
    /// What to read commits with when the store's own schema is lost: the classes and columns in
    /// the order in which the store got them.
    package var fallbackSchema: StoreSchema?

    package init(fileSystem: any FileSystem, directory: String, destination: String) {
        self.fileSystem = fileSystem
        self.directory = directory
        self.destination = destination
    }

    /// Runs the salvage. Blocks on the disk, and holds the contents of the store in memory.
    ///
    /// The new store is encrypted with the same key, if there is one.
    ///
    /// Throws `.invalid` when something is at the destination, `.notARealm` when nothing shows
    /// which store it is, an error of the key, what the disk reports, and `CancellationError`.
    package func run(
        _ monitor: ReadingMonitor = ReadingMonitor(), time: Double = 0
    ) throws -> SalvageOutcome {
        try requireNothing(at: destination)
        let account = NodeAccount()
        let replay = SalvageReplay(account: account)
        var store = StoreDirectory(fileSystem: fileSystem, path: directory)
        store.cipher = try LogSalvage(store: store).cipher(options.encryptionKey)
        let sources: [any SalvageSource] = [PageSalvage(store: store), LogSalvage(store: store)]
        for source in sources { try source.read(into: replay, monitor) }
        replay.finish(fallbackSchema)
        var repair = SalvageRepair(replay.tree)
        repair.run()
        var outcome = replay.outcome
        outcome.droppedRows += repair.droppedRows
        outcome.droppedLinks += repair.droppedLinks
        outcome.schema = replay.tree.schema
        let view = replay.tree.view
        for index in outcome.schema.classes.indices {
            outcome.rows[ClassID(index)] = view.classView(ClassID(index)).count
        }
        if monitor.isCancelled { throw CancellationError() }
        try write(replay.tree, time)
        monitor.report(1)
        return outcome
    }

    private func requireNothing(at path: String) throws {
        do {
            _ = try fileSystem.list(path)
        } catch StorageError.fileNotFound {
            return
        } catch StorageError.io {
            // A file, or something that cannot be looked into.
        }
        throw StorageError.invalid(
            "There is something at \(path) already. Salvage to a path where nothing is.")
    }

    /// Writes all rows of the tree as one group: the new store has all of them or none.
    private func write(_ tree: WorkingTree, _ time: Double) throws {
        let log = try Log.open(fileSystem, directory: destination, options: options) { _ in }
        do {
            let group = CommitGroupBuffer()
            var version = Version.zero
            for index in -1..<tree.schema.classes.count {
                var delta = Delta(classCount: tree.schema.classes.count)
                if index >= 0 {
                    let id = ClassID(index)
                    let next = tree.nextKey(id)
                    if next == 0 { continue }
                    delta.update(id, columns: tree.schema[id].columns.count, nextKey: { 0 }) {
                        $0.create(next - 1)
                    }
                }
                version = version.next
                try group.append(version: version) { (writer) throws(StorageError) in
                    CommitRecord.encode(
                        delta, of: tree, author: nil, schema: index < 0 ? tree.schema : nil,
                        time: time, into: &writer)
                }
            }
            try log.append(group)
        } catch {
            try? log.close()
            throw error
        }
        try log.close()
    }
}
