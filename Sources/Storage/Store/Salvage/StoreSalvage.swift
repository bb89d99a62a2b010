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
    /// The new store is encrypted with the same key, if there is one. It is written beside the
    /// destination and gets that name when it is whole.
    ///
    /// Throws `.invalid` when something is at the destination, `.fileNotFound` and `.notARealm`
    /// when nothing shows which store it is, an error of the key, what the disk reports of the new
    /// store, and `CancellationError`.
    package func run(_ monitor: ReadingMonitor = ReadingMonitor()) throws -> SalvageOutcome {
        try requireNothing(at: destination)
        try StoreDirectory(fileSystem: fileSystem, path: directory).requireOutside(destination)
        let account = NodeAccount()
        let replay = SalvageReplay(account: account)
        let log = try SalvagedLog(
            of: StoreDirectory(fileSystem: fileSystem, path: directory), options.encryptionKey,
            monitor.part(0...0.4))
        let sources: [any SalvageSource] = [PageSalvage(log: log), LogSalvage(log: log)]
        for source in sources { try source.read(into: replay, monitor.part(0.4...0.8)) }
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
        try monitor.check()
        try write(replay.tree, monitor.part(0.8...1))
        monitor.report(1)
        return outcome
    }

    private func requireNothing(at path: String) throws {
        try StoreDirectory(fileSystem: fileSystem, path: path).requirePath()
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

    /// Writes the tree to the page files of the new store, as its first version: so there is none
    /// with links that lead nowhere, and no limit to what is in it.
    private func write(_ tree: WorkingTree, _ monitor: ReadingMonitor) throws {
        var copy = StoreCopy(
            of: tree.capture(version: Version.zero.next), to: fileSystem, directory: destination,
            key: options.encryptionKey, monitor: monitor)
        copy.preparesInBackground = options.preparesInBackground
        try copy.write()
    }
}
