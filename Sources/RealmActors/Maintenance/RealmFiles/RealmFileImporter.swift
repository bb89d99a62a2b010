import Foundation
import Storage

/// Creates a new realm from a `.realm` file. Blocks on the disk: not for the cooperative pool.
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
        try Self.requireNoFile(at: path, configuration.fileSystem)
        var stored = try StoreSchema(of: file)
        switch try MigrationForecast(configuration).decision(on: file) {
        case .refuse(let error): throw error
        case .open(let schema): stored = stored.stating(integersOf: schema)
        case .migrate(let due) where due.isAddition:
            stored = stored.stating(integersOf: due.plan.target)
        // A migration may change the integers, and checks them at its end.
        case .migrate, .delete: break
        }
        let fileSystem = configuration.fileSystem
        let target = StoreDirectory(fileSystem: fileSystem, path: path)
        var changes: RealmFileChanges?
        var making = LogOptions()
        making.isShared = fileSystem.shared != nil
        making.waitsForLock = true
        making.lockTimeout = configuration.writeTimeout
        making.monitor = monitor
        do {
            try target.makeStore(making) { growing in
                changes = try RealmFileConversion(
                    file, to: fileSystem, key: configuration.encryptionKey?.userKey,
                    isSalvage: isSalvage,
                    memoryBudget: configuration.memoryBudget ?? Platform.physicalMemory / 4,
                    monitor: monitor
                ).fill(growing.path, stored, time: Date().timeIntervalSince1970)
            }
        } catch {
            // The wait for another process may have ended because it was cancelled.
            if case StorageError.alreadyOpen = error { try monitor.check() }
            throw error
        }
        // Another import may have been faster.
        guard let changes else { throw RealmError.taken(path) }
        return RealmFileImport(file, changes)
    }

    /// A realm is a folder. A file at its path is often the file to import.
    static func requireNoFile(at path: String, _ fileSystem: any FileSystem) throws {
        do throws(StorageError) {
            _ = try fileSystem.list(path)
        } catch .io(_, _, let number) where number == Platform.notADirectory {
            throw RealmError.importOverFile(path)
        } catch .fileNotFound {
        }
    }
}

extension StoreSchema {
    /// The same schema with the integer types of the columns of `other`, which extends it: a file
    /// does not have them, and without them an integer that does not fit would be truncated.
    fileprivate func stating(integersOf other: StoreSchema) -> StoreSchema {
        var classes = self.classes
        for (index, entry) in classes.enumerated() {
            for column in entry.columns.indices {
                classes[index].columns[column].integers =
                    other.classes[index].columns[column].integers
            }
        }
        return StoreSchema(classes: classes, version: version, steps: steps)
    }
}

extension RealmError {
    /// The path of the new realm exists.
    static func taken(_ path: String) -> RealmError {
        .invalidValue(
            "There is a realm at '\(path)' already. Remove it, or import to another path.")
    }

    /// There is a file at the path of the new realm.
    static func importOverFile(_ path: String) -> RealmError {
        .invalidValue(
            "There is a file at '\(path)', and a realm is a folder: import to another path.")
    }

    /// A realm on a shared log must begin there: a local one cannot be imported into it.
    static var importBesideSharedLog: RealmError {
        .invalidValue(
            "A realm on a shared log cannot be created from a .realm file. Open the realm, and "
                + "import the file into the open realm.")
    }

    /// The import would differ from the models, or have another version, so that opening would
    /// delete it.
    static var importToBeDeleted: RealmError {
        .invalidValue(
            "With deleteIfMigrationNeeded, opening the realm would delete what was imported: the"
                + " models or the schemaVersion are not those of the file. Import with a migration,"
                + " or with the schemaVersion of the file.")
    }
}
