import ArgumentParser
import Foundation
import RealmActors

struct InfoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Show the version, files, processes and classes of a store.")

    @OptionGroup var options: StoreOptions

    @Option(help: "The output format.") var format = ReportFormat.text

    @Flag(
        help: """
            Count the bytes of the values of each class, which reads every object: 8 for a \
            number, a date or a link, 16 for an identifier, the UTF-8 of texts. Their size \
            on disk differs, since they are packed there.
            """)
    var bytes = false

    func run() async throws {
        let info = try await options.withRealm { realm in
            try await StoreInfo(realm, StoreFiles(options.store), countsBytes: bytes)
        }
        switch format {
        case .json: Terminal.say(try JSONText.text(info, isPretty: true))
        case .text: for line in info.lines { Terminal.say(line) }
        }
    }
}

/// What is known of a store.
private struct StoreInfo: Encodable {
    struct Class: Encodable {
        let name: String
        let objects: Int
        /// Bytes of values; nil when they were not requested.
        let valueBytes: Int?
        let isEmbedded: Bool
        let primaryKey: String?
        let indexes: [String]
        let links: [String]
    }

    let path: String
    let isEncrypted: Bool
    let version: UInt64
    let schemaVersion: UInt64
    let bytesInUse: Int
    let bytesOnDisk: Int
    let files: StoreFiles
    /// The other processes that have the store open; nil where the system does not list them.
    let processes: [StoreProcess]?
    /// The oldest commit that the log still has; nil when it has none.
    let oldestCommit: UInt64?
    let oldestCommitTime: String?
    let classes: [Class]

    init(_ realm: Realm, _ files: StoreFiles, countsBytes: Bool) async throws {
        let snapshot = realm.snapshot()
        let statistics = realm.statistics
        path = files.path
        isEncrypted = realm.configuration.encryptionKey != nil
        version = snapshot.version.rawValue
        schemaVersion = snapshot.storedSchema.version
        bytesInUse = statistics.liveBytes
        bytesOnDisk = statistics.diskBytes
        self.files = files
        processes = StoreProcess.all(of: files.path)?.filter { !$0.isOwn }
        var commits = realm.pastCommits().makeAsyncIterator()
        let oldest = try await commits.next()
        oldestCommit = oldest?.version.rawValue
        oldestCommitTime = oldest.map { DateText.text($0.time) }
        classes = try snapshot.schema.objectSchema.map { type in
            let known = try? snapshot.dynamicObjects(type.className)
            return Class(
                name: type.className, objects: known?.count ?? 0,
                valueBytes: countsBytes
                    ? try known?.reduce(0) { $0 + (try ValueBytes.count($1, type)) } ?? 0 : nil,
                isEmbedded: type.isEmbedded,
                primaryKey: type.primaryKeyProperty?.name,
                indexes: Self.indexes(of: type),
                links: type.properties.compactMap(\.objectClassName))
        }
        if let failure = snapshot.failure { throw failure }
    }

    private static func indexes(of type: ObjectSchema) -> [String] {
        let own = type.properties.filter { $0.isIndexed && !$0.isPrimaryKey }.map(\.name)
        let ofTexts = type.properties.filter(\.isFullText).map { "words of \($0.name)" }
        return own + ofTexts
            + type.indexes.map { index in
                if index.isOfPlaces { return "places" }
                let names = index.parts.map(\.name).joined(separator: ", ")
                return "\(index.isUnique ? "unique " : "")(\(names))"
            }
    }

    private static func age(_ date: Date) -> String {
        let seconds = Int(max(0, -date.timeIntervalSinceNow))
        if seconds < 120 { return "\(seconds) s" }
        if seconds < 7200 { return "\(seconds / 60) min" }
        return seconds < 172_800 ? "\(seconds / 3600) h" : "\(seconds / 86_400) days"
    }

    /// A line for each process that has the store open.
    private var processLines: [String] {
        let texts = processes?.map(\.text) ?? ["not listed by this system"]
        let shown = texts.isEmpty ? ["no other process of this user"] : texts
        return shown.enumerated().map { number, text in
            (number == 0 ? "open in         " : "                ") + text
        }
    }

    var lines: [String] {
        let commit = files.lastWritten.map { DateText.text($0) } ?? "never"
        let checkpoint = files.lastCheckpoint.map { "\(Self.age($0)) ago, \(DateText.text($0))" }
        let history = oldestCommit.map { "from version \($0) on, \(oldestCommitTime ?? "")" }
        var lines = [
            "store           \(path)",
            "encrypted       \(isEncrypted ? "yes" : "no")",
            "format          \(files.format.map { "\($0)" } ?? "unknown: no valid superblock")",
            "version         \(version)",
            "schema version  \(schemaVersion)",
            "in use          \(readable(bytes: bytesInUse))",
            "on disk         \(readable(bytes: bytesOnDisk))",
            "log             \(files.logSegments) files, \(readable(bytes: files.logBytes))",
            "pages           \(files.pageSegments) files, \(readable(bytes: files.pageBytes))",
            "history         \(history ?? "none")",
            "last written    \(commit)",
            "checkpoint      \(checkpoint ?? "none")",
            "last writer     \(files.writer.map { "process \($0)" } ?? "no running process")",
        ]
        lines += processLines + [""]
        let countsBytes = classes.contains { $0.valueBytes != nil }
        var table = TextTable(
            ["class", "objects"] + (countsBytes ? ["bytes"] : []) + ["key", "indexes"],
            isNumeric: [false, true] + (countsBytes ? [true] : []) + [false, false])
        for entry in classes {
            table.add(
                [entry.name + (entry.isEmbedded ? " (embedded)" : ""), "\(entry.objects)"]
                    + (entry.valueBytes.map { ["\($0)"] } ?? [])
                    + [entry.primaryKey ?? "", entry.indexes.joined(separator: ", ")])
        }
        lines += table.lines(width: Terminal.width)
        return lines
    }
}
