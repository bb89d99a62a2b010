/// Copies everything that can be read of a damaged store to a new one. The damaged store is not
/// changed.
///
/// It begins with the page files of the latest checkpoint and applies the commits of the log after
/// it, so that an object whose nodes, or whose creation and changes, can be read is restored
/// completely.
package struct StoreSalvage {
    package let fileSystem: any FileSystem
    package let directory: String
    package let destination: String
    package var options = LogOptions()
    /// The schema to decode commits with if the store's own is lost: classes and columns in the
    /// order in which the store got them.
    package var fallbackSchema: StoreSchema?

    package init(fileSystem: any FileSystem, directory: String, destination: String) {
        self.fileSystem = fileSystem
        self.directory = directory
        self.destination = destination
    }

    /// Runs the salvage. Blocks on the disk, and keeps the contents of the store in memory.
    ///
    /// The new store is encrypted with the same key, if there is one. It is written beside the
    /// destination and renamed when it is complete.
    ///
    /// Throws `.invalid` if the destination exists, `.fileNotFound` and `.notARealm` if the store
    /// cannot be identified, an error of the key, a lack of descriptors, errors of the disk with
    /// the new store, and `CancellationError`.
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

    /// What `body` reads of a damaged store; nil if it cannot be read. Without a descriptor it is
    /// unknown what could be read: then this throws.
    static func attempt<Value>(
        _ body: () throws(StorageError) -> Value
    ) throws(StorageError) -> Value? {
        do throws(StorageError) {
            return try body()
        } catch {
            if error.lacksDescriptors { throw error }
            return nil
        }
    }

    private func requireNothing(at path: String) throws {
        try StoreDirectory(fileSystem: fileSystem, path: path).requirePath()
        do throws(StorageError) {
            _ = try fileSystem.list(path)
        } catch .fileNotFound {
            return
        } catch {
            // A file, or a folder that cannot be listed.
            guard case .io = error, !error.lacksDescriptors else { throw error }
        }
        throw StorageError.invalid(
            "'\(path)' exists already. Salvage to a path that does not exist.")
    }

    /// Writes the tree to the page files of the new store, as its first version: so no version has
    /// dangling links, and its size is not limited by a commit record.
    private func write(_ tree: WorkingTree, _ monitor: ReadingMonitor) throws {
        var copy = StoreCopy(
            of: tree.capture(version: Version.zero.next), to: fileSystem, directory: destination,
            key: options.encryptionKey, monitor: monitor)
        copy.preparesInBackground = options.preparesInBackground
        try copy.write()
    }
}
