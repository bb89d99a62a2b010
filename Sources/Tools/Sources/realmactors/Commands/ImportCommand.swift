import ArgumentParser
import Foundation
import RealmActors

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Read objects of JSON lines, JSON or CSV into a store; or a .realm file.",
        discussion: """
            A file that ends with .realm is one that Realm wrote: it becomes a new store. All \
            others go into the class of a store that is there; links may be given by primary \
            key. JSON is one transaction; lines go in batches, and an import that was cut off \
            is run again: an object that is there is found by its primary key, and --update says \
            what happens to it. Those of a class without one would be there twice.
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case jsonl, json, csv
    }

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

    @Argument(help: "The file; - for standard input.", completion: .file()) var file: String

    @Option(name: .customLong("class"), help: "The class; the name of the file when not given.")
    var className: String?

    @Option(help: "What is in the file; its ending says so when not given.") var format: Format?

    @Option(
        help: """
            What happens to an object that has the primary key of one in the file: error refuses \
            it; modified writes what differs, which is what happens when nothing is said; all \
            writes everything that is given.
            """)
    var update: Update?

    @Flag(help: "Refuse names that the class does not have.") var strict = false

    @Flag(help: "Refuse links to objects that are not there, instead of making them.")
    var existingLinks = false

    @Option(help: "How many lines a transaction takes.") var batch = 1000

    @Option(help: "The file with the 64 bytes that the .realm file is encrypted with.")
    var realmKeyFile: String?

    @Flag(help: "Take from a damaged .realm file what can be read.") var salvage = false

    func validate() throws {
        if batch < 1 { throw ValidationError("A batch has one line at least.") }
    }

    func run() async throws {
        if file.hasSuffix(".realm") { return try await importRealmFile() }
        let name = className ?? URL(fileURLWithPath: file).deletingPathExtension().lastPathComponent
        try await options.withRealm(writing: true) { realm in
            let type = try realm.requiredClass(name)
            let target = ImportTarget(
                realm: realm, type: type, update: policy(type),
                unknownKeys: strict ? .refuse : .ignore, links: existingLinks ? .existing : .create)
            let start = ContinuousClock.now
            let count = try await read(into: target, start)
            Terminal.note("\(count) objects of \(name)")
        }
    }

    /// Links may have made objects by their keys alone, which the file has in full further down.
    private func policy(_ type: ObjectSchema) -> UpdatePolicy {
        type.primaryKeyProperty == nil ? .error : (update ?? .modified).policy
    }

    private func read(into target: ImportTarget, _ start: ContinuousClock.Instant) async throws
        -> Int
    {
        let format = format ?? Format(rawValue: URL(fileURLWithPath: file).pathExtension) ?? .jsonl
        var records: ImportRecords
        switch format {
        case .json:
            let data = try LineReader.contents(file)
            return try await target.take(data, "The file")
        case .jsonl: records = .lines(try LineReader(path: file))
        case .csv:
            let text = String(decoding: try LineReader.contents(file), as: UTF8.self)
            records = try .table(CSVReader(text), target)
        }
        let progress = ProgressLine("imported")
        var count = 0
        while let batch = try records.next(upTo: batch) {
            count += try await target.take(batch.json, "Lines \(batch.lines)")
            progress.show(count, of: records.part, since: start)
        }
        progress.end()
        return count
    }

    private func importRealmFile() async throws {
        var key: Data?
        if let realmKeyFile {
            key = Data(try KeySource.file(realmKeyFile).key().bytes)
        }
        let progress = ProgressLine("importing")
        let report = try await Realm.importRealmFile(
            at: URL(fileURLWithPath: file), into: options.store, key: key,
            encryptionKey: try options.key.load(), salvage: salvage
        ) { progress.show($0) }
        progress.end()
        for (name, count) in report.objectCounts.sorted(by: { $0.key < $1.key }) {
            Terminal.note("\(count) objects of \(name)")
        }
        if report.isComplete { return }
        for damage in report.damages {
            Terminal.note("damage at \(damage.offset): \(damage.reason)")
        }
        Terminal.note(
            "Not all of it is as it was: \(report.damageCount) damages, "
                + "\(report.repairedTexts) texts repaired, \(report.mergedElements) elements "
                + "merged, \(report.droppedLinks) links dropped, \(report.droppedDuplicates) "
                + "objects dropped.")
        if report.damageCount > 0 {
            throw ToolError(.damaged, "The store at \(options.store) lacks what was damaged.")
        }
    }
}
