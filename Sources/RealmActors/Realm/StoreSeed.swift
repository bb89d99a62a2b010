import Storage

/// Creates a store as a copy of another one.
enum StoreSeed {
    /// Copies the seed of a configuration, if there is no store at its path yet.
    ///
    /// The copy is written under a temporary name and renamed when it is complete and durable.
    /// Other processes wait meanwhile, until `monitor` is cancelled, and then find the store.
    static func install(
        _ configuration: Realm.Configuration, _ monitor: ReadingMonitor
    ) throws {
        guard let seed = configuration.seedFilePath, let path = configuration.path else { return }
        try RealmError.translating {
            let directory = StoreDirectory(fileSystem: configuration.fileSystem, path: path)
            if try directory.holdsStore() { return }
            if configuration.readOnly { throw RealmError.fileNotFound(path: path) }
            var opening = StoreOpening(fileSystem: configuration.fileSystem, directory: seed)
            opening.options = configuration.logOptions
            opening.options.readOnly = true
            opening.options.isShared = configuration.fileSystem.shared != nil
            opening.options.encryptionKey = configuration.encryptionKey?.userKey
            let opened = try opening.open(account: NodeAccount()) { $0 }
            defer { try? opened.log.close() }
            let root = opened.tree.capture(version: opened.version)
            var making = LogOptions()
            making.isShared = configuration.fileSystem.shared != nil
            making.waitsForLock = true
            making.lockTimeout = configuration.writeTimeout
            making.monitor = monitor
            try directory.makeStore(making) { growing in
                try StoreCopy(
                    of: root, to: configuration.fileSystem, directory: growing.path,
                    key: configuration.encryptionKey?.userKey
                ).fill()
            }
        }
    }
}
