import ArgumentParser
import Foundation
import RealmActors

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import JSON lines, JSON, CSV or a .realm file into a store.",
        discussion: """
            A .realm file of Realm is imported into a new store. Other files are imported into a \
            class of an existing store, and the folder of an export into all its classes. Links \
            may be given by primary key. JSON is imported in one transaction, and lines in \
            batches: an import that was interrupted can be run again, as existing objects are \
            found by primary key and updated as --update says. Objects without a primary key \
            would be duplicated: an import that contains or links to such objects is one \
            transaction, unless --batch is given, and is rolled back if it fails.
            """)

    enum Update: String, ExpressibleByArgument, CaseIterable {
        case error, modified, all

        var policy: UpdatePolicy {
            switch self {
            case .error: .error
            case .modified: .modified
            case .all: .all
            }
        }
    }

    @OptionGroup var options: StoreOptions

    @Argument(
        help: "The file, - for standard input, or the folder of an export.", completion: .file())
    var file: String

    @Option(name: .customLong("class"), help: "The class; by default the name of the file.")
    var className: String?

    @Option(
        help: "The input format; by default that of the file extension. Of a folder, which files.")
    var format: ImportFormat?

    @Option(
        help: """
            How an existing object with the same primary key is updated: error refuses it, \
            modified (the default) writes the values that differ, all writes all given values.
            """)
    var update: Update?

    @Flag(help: "Refuse properties that the class does not have.") var strict = false

    @Flag(help: "Refuse links to objects that do not exist, instead of creating them.")
    var existingLinks = false

    @Option(help: "The number of lines per transaction; by default 1000, or all of them.")
    var batch: Int?

    @Option(help: "A file with the 64-byte key of the .realm file.")
    var realmKeyFile: String?

    @Flag(help: "Import the intact objects of a damaged .realm file.") var salvage = false

    // `--format` says what is in the file.
    @Option(help: "The format of the report.") var report = ReportFormat.text

    func validate() throws {
        if let batch, batch < 1 { throw ValidationError("--batch is at least 1.") }
        if file == "-", options.key.keyStdin {
            throw ValidationError(
                "Standard input has the objects: give the key by --key-file or --key-env.")
        }
        let choosesObjects =
            className != nil || format != nil || update != nil || strict || existingLinks
            || batch != nil
        if isRealmFile, choosesObjects {
            throw ValidationError(
                "A .realm file is imported into a new store: --class, --format, --update, "
                    + "--strict, --existing-links and --batch cannot be given.")
        }
        if !isRealmFile, salvage || realmKeyFile != nil {
            throw ValidationError("--salvage and --realm-key-file require a .realm file.")
        }
    }

    private static let author = "realmactors import"
    private static let batchSize = 1000

    func run() async throws {
        if isRealmFile { return try await importRealmFile() }
        let isFolder = Self.isFolder(file)
        try await options.withRealm(writing: true) { realm in
            let files = try isFolder ? filesOfFolder(realm) : [singleFile(realm)]
            let target = ImportTarget(
                schema: realm.schema, update: (update ?? .modified).policy,
                unknownKeys: strict ? .refuse : .ignore, links: existingLinks ? .existing : .create)
            let progress = ProgressLine("imported")
            let isOne = batch == nil && files.contains { target.lacksKeys($0.type) }
            let counts =
                try await isOne
                ? readAtOnce(files, into: realm, target, progress)
                : read(files, into: realm, target, progress)
            progress.end()
            let imported = zip(files, counts).map { ($0.type.className, $1) }
            switch report {
            case .json:
                let done = Report(
                    path: options.store, objects: Dictionary(uniqueKeysWithValues: imported),
                    version: realm.latestVersion.rawValue)
                Terminal.say(try JSONText.text(done, isPretty: true))
            case .text: Self.say(imported)
            }
        }
    }

    /// What was done, for scripts.
    private struct Report: Encodable {
        /// What a .realm file has that the new store has otherwise.
        struct Differences: Encodable {
            let damages: Int
            let repairedTexts: Int
            let mergedElements: Int
            let droppedLinks: Int
            let droppedDuplicates: Int
            let droppedUnkeyed: Int
            let droppedOrphans: Int
        }

        let path: String
        /// The numbers of imported objects, by class.
        let objects: [String: Int]
        /// The version with all of them; nil of a .realm file, of which a new store was made.
        var version: UInt64?
        /// Nil where it was no .realm file.
        var differences: Differences?
    }

    private static func say(_ counts: [(String, Int)]) {
        for (name, count) in counts {
            Terminal.note("\(count) objects of \(Cell.visible(name))")
        }
    }

    /// Whether Realm wrote the file, by its name.
    private var isRealmFile: Bool {
        file.lowercased().hasSuffix(".realm") && !Self.isFolder(file)
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
            && isFolder.boolValue
    }

    private func singleFile(_ realm: Realm) throws -> ImportFile {
        let url = URL(fileURLWithPath: file)
        let name = className ?? url.deletingPathExtension().lastPathComponent
        return ImportFile(
            path: file, type: try realm.requiredClass(name),
            format: format ?? ImportFormat(endingOf: url) ?? .jsonl)
    }

    private func filesOfFolder(_ realm: Realm) throws -> [ImportFile] {
        if className != nil { throw ToolError(.badInput, "--class requires a single file.") }
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: file) else {
            throw ToolError(.badInput, "The folder '\(file)' cannot be read.")
        }
        var files: [ImportFile] = []
        for name in names.sorted() where !name.hasPrefix(".") {
            let url = URL(fileURLWithPath: file).appendingPathComponent(name)
            guard let found = ImportFormat(endingOf: url), format ?? found == found else {
                continue
            }
            let type = try realm.requiredClass(url.deletingPathExtension().lastPathComponent)
            if files.contains(where: { $0.type == type }) {
                throw ToolError(
                    .badInput,
                    "'\(file)' has '\(type.className)' in several formats. Choose one by --format.")
            }
            files.append(
                ImportFile(path: url.path, type: type, format: found, title: "\(name): "))
        }
        if files.isEmpty { throw ToolError(.badInput, "'\(file)' has no files of an export.") }
        return files
    }

    /// Reads files in one transaction.
    private func readAtOnce(
        _ files: [ImportFile], into realm: Realm, _ target: ImportTarget, _ progress: ProgressLine
    ) async throws -> [Int] {
        let start = ContinuousClock.now
        let files = try files.map { try $0.readingPipe() }
        return try await realm.write(author: Self.author) { tx in
            var rows = ImportedRows()
            var counts: [Int] = []
            for file in files {
                var records = try file.records(target.schema)
                var count = 0
                while let batch = try records.next(upTo: Self.batchSize) {
                    count += try target.take(batch, of: file.type, &rows, in: tx)
                    progress.show(count, of: records.part, since: start)
                }
                counts.append(count)
            }
            try target.requireAll(rows)
            return counts
        }
    }

    /// Reads files in a transaction for each batch.
    private func read(
        _ files: [ImportFile], into realm: Realm, _ target: ImportTarget, _ progress: ProgressLine
    ) async throws -> [Int] {
        let start = ContinuousClock.now
        var rows = ImportedRows()
        var counts: [Int] = []
        for file in files {
            var records = try file.records(target.schema)
            var count = 0
            while let batch = try records.next(upTo: batch ?? Self.batchSize) {
                let (type, before) = (file.type, rows)
                let result: (Int, ImportedRows)
                do {
                    result = try await realm.write(author: Self.author) { tx in
                        var rows = before
                        let taken = try target.take(batch, of: type, &rows, in: tx)
                        return (taken, rows)
                    }
                } catch let error as RealmError {
                    // Such as that of a unique index, which is checked at the end.
                    throw ToolError(ExitStatus(error), "\(batch.place): \(error)")
                }
                (count, rows) = (count + result.0, result.1)
                progress.show(count, of: records.part, since: start)
            }
            counts.append(count)
        }
        try target.requireAll(rows)
        return counts
    }

    private func importRealmFile() async throws {
        var key: Data?
        if let realmKeyFile {
            key = Data(try KeySource.file(realmKeyFile).key().bytes)
        }
        let progress = ProgressLine("importing")
        let done = try await Realm.importRealmFile(
            at: URL(fileURLWithPath: file), into: options.store, key: key,
            encryptionKey: try options.key.load(), salvage: salvage
        ) { progress.show($0) }
        progress.end()
        try say(done)
        // Objects and links that a salvage leaves out need not stand where anything is damaged. The
        // links that every import leaves out are no damage.
        let lost =
            done.damageCount + (salvage ? done.droppedLinks : 0) + done.droppedDuplicates
            + done.droppedUnkeyed
        if lost > 0 {
            throw ToolError(
                .damaged, "The store at '\(options.store)' lacks the damaged data of the file.")
        }
    }

    private func say(_ done: RealmFileImport) throws {
        switch report {
        case .json:
            let differences = Report.Differences(
                damages: done.damageCount, repairedTexts: done.repairedTexts,
                mergedElements: done.mergedElements, droppedLinks: done.droppedLinks,
                droppedDuplicates: done.droppedDuplicates, droppedUnkeyed: done.droppedUnkeyed,
                droppedOrphans: done.droppedOrphans)
            let report = Report(
                path: options.store, objects: done.objectCounts, differences: differences)
            Terminal.say(try JSONText.text(report, isPretty: true))
        case .text:
            Self.say(done.objectCounts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
            if done.droppedOrphans > 0 {
                Terminal.note(
                    "\(done.droppedOrphans) embedded objects dropped, which have no parent or "
                        + "several.")
            }
            if done.isComplete { return }
            for damage in done.damages {
                Terminal.note(Cell.visible("damage at \(damage.offset): \(damage.reason)"))
            }
            Terminal.note(
                "Not all data was imported unchanged: \(done.damageCount) damages, "
                    + "\(done.repairedTexts) texts repaired, \(done.mergedElements) elements "
                    + "merged, \(done.droppedLinks) links dropped, \(done.droppedDuplicates) "
                    + "objects dropped with the key of another, \(done.droppedUnkeyed) with an "
                    + "unreadable key.")
        }
    }
}
