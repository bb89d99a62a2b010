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
        if case .refuse(let error) = try MigrationForecast(configuration).decision(on: file) {
            throw error
        }
        let stored = try StoreSchema(of: file)
        let fileSystem = configuration.fileSystem
        let target = StoreDirectory(fileSystem: fileSystem, path: path)
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
        guard let changes else { throw RealmError.taken(path) }
        return RealmFileImport(file, changes)
    }
}

extension RealmError {
    /// There is something at a path where a realm is to be made of a file.
    static func taken(_ path: String) -> RealmError {
        .invalidValue("There is a realm at \(path) already. Remove it, or import to another path.")
    }
}
