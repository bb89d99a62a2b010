import ArgumentParser
import Foundation
import RealmActors

struct HostsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hosts", abstract: "Show the state of the hosts of a realm on a shared log.",
        discussion: """
            It only reads the log, and needs no key. It lists the hosts that have appended one of \
            the entries that are read (--entries); with --copy it also compares folders on this \
            machine with the log, even while they are in use. The last writer is the host of the \
            newest entry, marked in the column "newest"; the writer lease is not in the log.

            The connection string is that of libpq, by --postgres or in the environment variable \
            REALM_POSTGRES. Give a password in PGPASSWORD or in a password file. Requires a build \
            with --traits PostgreSQL.

            For a log in a bucket give --s3 and --bucket. The keys are read from \
            AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN. Requires a build with \
            --traits S3.

            --print-tables writes the SQL statements that create the tables of shared logs, to be \
            run by a role with that right if the role of the service does not have it. It does \
            not connect, and works in any build.
            """)

    @Argument(help: "The name of the realm in the database or bucket.") var realm: String?

    @Flag(help: "Write the SQL statements that create the tables, and exit.")
    var printTables = false

    @Option(help: "The connection string, without a password.") var postgres: String?

    @Option(help: "The URL of the object storage, without the bucket.") var s3: String?

    @Option(help: "The bucket.") var bucket: String?

    @Option(help: "The region of the bucket.") var region = "us-east-1"

    @Option(
        help: "The folder of a host of the realm; may be repeated.",
        completion: .directory)
    var copy: [String] = []

    @Option(help: "How many of the newest entries are read.") var entries = 1000

    @Option(help: "The output format.") var format = ReportFormat.text

    func validate() throws {
        if entries < 1 { throw ValidationError("--entries is at least 1.") }
        if printTables != (realm == nil) {
            throw ValidationError("Name a realm, or give --print-tables.")
        }
        if printTables, postgres != nil || s3 != nil || !copy.isEmpty || format != .text {
            throw ValidationError("--print-tables cannot be combined with other options.")
        }
        if (s3 == nil) != (bucket == nil) || s3 != nil && postgres != nil {
            throw ValidationError("Give --postgres, or --s3 and --bucket.")
        }
    }

    func run() async throws {
        guard let realm else { return Terminal.say(Realm.SharedLog.postgresTableDefinitions) }
        let log = try log(realm)
        let overview = try await log.overview(lookingAt: entries)
        var copies: [HostsReport.Copy] = []
        for path in copy {
            guard let found = try await log.copy(at: path) else {
                throw ToolError(.notFound, "'\(path)' is not the folder of a host of a shared log.")
            }
            copies.append(HostsReport.Copy(path, found, overview))
        }
        let report = HostsReport(realm, overview, copies)
        switch format {
        case .json: Terminal.say(try JSONText.text(report, isPretty: true))
        case .text: for line in report.lines { Terminal.say(line) }
        }
    }

    private func log(_ realm: String) throws -> Realm.SharedLog {
        if let s3, let bucket {
            guard let endpoint = URL(string: s3) else {
                throw ToolError(.badInput, "--s3 is not a valid URL.")
            }
            return .s3(endpoint: endpoint, bucket: bucket, region: region, realm: realm)
        }
        let environment = ProcessInfo.processInfo.environment["REALM_POSTGRES"] ?? ""
        guard let address = postgres ?? (environment.isEmpty ? nil : environment) else {
            throw ToolError(
                .badInput, "Give a connection string by --postgres, or in REALM_POSTGRES.")
        }
        // It is only looked at: the durability does not matter.
        return .postgres(address, realm: realm, durability: .singleServer)
    }
}

/// How the hosts of a realm stand.
private struct HostsReport: Encodable {
    struct Host: Encodable {
        let id: String
        let isLastWriter: Bool
        let lastEntry: UInt64
        let version: UInt64
        /// Entries that others have appended since.
        let entriesSince: Int
    }

    struct Image: Encodable {
        let nextEntry: UInt64
        let bytes: Int
    }

    struct Copy: Encodable {
        let path: String
        let host: String
        let isLastWriter: Bool
        let nextEntry: UInt64
        let version: UInt64
        /// Entries of the log that the folder lacks, at the most.
        let entriesBehind: UInt64

        init(_ path: String, _ copy: Realm.SharedLog.Copy, _ log: Realm.SharedLog.Overview) {
            self.path = path
            host = copy.host.uuidString
            isLastWriter = copy.host == log.lastWriter
            nextEntry = copy.nextEntry
            version = copy.version.rawValue
            entriesBehind = log.nextEntry - min(copy.nextEntry, log.nextEntry)
        }
    }

    let realm: String
    let firstEntry: UInt64
    let nextEntry: UInt64
    let version: UInt64
    let epoch: UInt64
    /// The host of the newest entry.
    let lastWriter: String?
    let hosts: [Host]
    let images: [Image]
    let copies: [Copy]

    init(_ realm: String, _ overview: Realm.SharedLog.Overview, _ copies: [Copy]) {
        self.realm = realm
        firstEntry = overview.firstEntry
        nextEntry = overview.nextEntry
        version = overview.version.rawValue
        epoch = overview.epoch
        lastWriter = overview.lastWriter?.uuidString
        hosts = overview.hosts.map { host in
            Host(
                id: host.id.uuidString, isLastWriter: host.isLastWriter,
                lastEntry: host.lastEntry, version: host.version.rawValue,
                entriesSince: host.entriesSince)
        }
        images = overview.images.map { Image(nextEntry: $0.nextEntry, bytes: $0.bytes) }
        self.copies = copies
    }

    var lines: [String] {
        let kept = nextEntry - firstEntry
        let newest = images.first.map {
            "\(readable(bytes: $0.bytes)), followed by the entries from \($0.nextEntry) on"
        }
        let writer = lastWriter.map { "\($0) appended the newest entry" }
        var lines = [
            "realm    \(realm)",
            "log      \(kept) entries, from \(firstEntry) on; the next is \(nextEntry)",
            "version  \(version)",
            "writer   \(writer ?? "none"); epoch \(epoch)",
            "image    \(newest ?? "none")", "",
        ]
        var table = TextTable(
            ["host", "newest", "last entry", "version", "entries since"],
            isNumeric: [false, false, true, true, true])
        for host in hosts {
            table.add([
                host.id, host.isLastWriter ? "yes" : "", "\(host.lastEntry)", "\(host.version)",
                "\(host.entriesSince)",
            ])
        }
        lines += table.lines(width: Terminal.width)
        if copies.isEmpty { return lines }
        var behind = TextTable(
            ["folder", "host", "newest", "version", "entries behind"],
            isNumeric: [false, false, false, true, true])
        for copy in copies {
            behind.add([
                copy.path, copy.host, copy.isLastWriter ? "yes" : "", "\(copy.version)",
                "\(copy.entriesBehind)",
            ])
        }
        return lines + [""] + behind.lines(width: Terminal.width)
    }
}
