import Foundation
import Storage

/// Makes a new realm of a `.realm` file. Blocks on the disk: not for the cooperative pool.
struct RealmFileImporter {
    private let file: RealmFile
    private let configuration: Realm.Configuration
    private let isSalvage: Bool
    private let monitor: ReadingMonitor

    init(
        _ file: RealmFile, _ configuration: Realm.Configuration, _ isSalvage: Bool,
        _ monitor: ReadingMonitor
    ) {
        self.file = file
        self.configuration = configuration
        self.isSalvage = isSalvage
        self.monitor = monitor
    }

    func run() throws -> RealmFileImport {
        guard let path = configuration.path else {
            throw RealmError.invalidValue(
                "A .realm file is imported into files. Give the configuration a path.")
        }
        let stored = try StoreSchema(of: file)
        if !configuration.objectTypes.isEmpty { try requireFit(stored) }
        let fileSystem = configuration.fileSystem
        let target = StoreDirectory(fileSystem: fileSystem, path: path)
        if try target.holdsStore() { throw Self.taken(path) }
        var changes: RealmFileChanges?
        var making = LogOptions()
        making.isShared = fileSystem.shared != nil
        making.waitsForLock = true
        making.lockTimeout = configuration.writeTimeout
        try target.makeStore(making) { growing in
            changes = try RealmFileConversion(
                file, to: fileSystem, key: configuration.encryptionKey?.userKey,
                isSalvage: isSalvage,
                memoryBudget: configuration.memoryBudget ?? Platform.physicalMemory / 4,
                monitor: monitor
            ).fill(growing.path, stored, time: Date().timeIntervalSince1970)
        }
        // Another one may have been quicker.
        guard let changes else { throw Self.taken(path) }
        return RealmFileImport(file, changes)
    }

    private static func taken(_ path: String) -> RealmError {
        .invalidValue("There is a realm at \(path) already. Remove it, or import to another path.")
    }

    /// Throws what the models differ in, unless a migration is due that may see to it.
    private func requireFit(_ stored: StoreSchema) throws {
        let (models, _) = try SchemaDiscovery.discover(configuration.objectTypes)
        switch SchemaDecision.make(configuration, stored: stored, models: models) {
        case .open, .migrate, .delete: break
        case .refuse(let error): throw error
        }
    }
}
