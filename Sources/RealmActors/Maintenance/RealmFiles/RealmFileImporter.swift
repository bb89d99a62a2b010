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
        try Self.requireNoFile(at: path, configuration.fileSystem)
        var stored = try StoreSchema(of: file)
        switch try MigrationForecast(configuration).decision(on: file) {
        case .refuse(let error): throw error
        case .open(let schema): stored = stored.stating(integersOf: schema)
        case .migrate(let due) where due.isAddition:
            stored = stored.stating(integersOf: due.plan.target)
        // A migration may yet make the numbers fit, and looks at them in its end.
        case .migrate, .delete: break
        }
        let fileSystem = configuration.fileSystem
        let target = StoreDirectory(fileSystem: fileSystem, path: path)
        var changes: RealmFileChanges?
        var making = LogOptions()
        making.isShared = fileSystem.shared != nil
        making.waitsForLock = true
        making.lockTimeout = configuration.writeTimeout
        making.lockMonitor = monitor
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
        // Another one may have been faster.
        guard let changes else { throw RealmError.taken(path) }
        return RealmFileImport(file, changes)
    }

    /// A realm is a folder. What is at its path instead is often the file that is imported.
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
    /// The same with the integer types that `other`, which continues from this one, has for its
    /// columns: a file does not say them, and without them a number that does not fit would be read
    /// as another one.
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
    /// There is something at a path where a realm is to be made of a file.
    static func taken(_ path: String) -> RealmError {
        .invalidValue(
            "There is a realm at '\(path)' already. Remove it, or import to another path.")
    }

    /// There is a file at a path where a realm is to be made of one.
    static func importOverFile(_ path: String) -> RealmError {
        .invalidValue(
            "There is a file at '\(path)', and a realm is a folder: import to another path.")
    }

    /// A realm on a shared log begins there, and takes none that was made elsewhere.
    static var importBesideSharedLog: RealmError {
        .invalidValue(
            "A realm on a shared log cannot be created from a .realm file. Open the realm, and "
                + "import the file into the open realm.")
    }

    /// What would be imported differs from the models, or has another version, so that opening it
    /// would delete it.
    static var importToBeDeleted: RealmError {
        .invalidValue(
            "With deleteIfMigrationNeeded, opening the realm would delete what was imported: the"
                + " models or the schemaVersion are not those of the file. Import with a migration,"
                + " or with the schemaVersion of the file.")
    }
}
