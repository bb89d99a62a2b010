import ArgumentParser
import RealmActors

struct SalvageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "salvage",
        abstract: "Read what can be read of a damaged store into a new one.",
        discussion: """
            The damaged store is only read. The exit code is \(ExitStatus.damaged.rawValue) \
            where something was lost.
            """)

    @OptionGroup var options: StoreOptions

    @Argument(help: "Where the new store goes; nothing may be there.", completion: .directory)
    var destination: String

    @Option(help: "How it is written.") var format = ReportFormat.text

    /// What was kept and lost, for scripts.
    private struct Report: Encodable {
        struct Range: Encodable {
            let file: String
            let offset: Int
            let bytes: Int
        }

        let isComplete: Bool
        let objects: [String: Int]
        let commits: Int
        let incompleteCommits: Int
        let gaps: Int
        let lostRanges: [Range]

        init(_ report: SalvageReport) {
            isComplete = report.isComplete
            objects = report.objects
            commits = report.commits
            incompleteCommits = report.incompleteCommits
            gaps = report.gaps
            lostRanges = report.lostRanges.map {
                Range(file: $0.file, offset: $0.bytes.lowerBound, bytes: $0.bytes.count)
            }
        }
    }

    func run() async throws {
        try options.requireFolder()
        let progress = ProgressLine("reading")
        let report = try await Realm.salvage(
            from: options.store, to: destination, encryptionKey: try options.key.load()
        ) { progress.show($0) }
        progress.end()
        switch format {
        case .json: Terminal.say(try JSONText.text(Report(report), isPretty: true))
        case .text:
            for (name, count) in report.objects.sorted(by: { $0.key < $1.key }) {
                Terminal.say("\(count) objects of \(Cell.visible(name))")
            }
        }
        for range in report.lostRanges {
            let (start, count) = (range.bytes.lowerBound, range.bytes.count)
            let bytes = count == 0 ? "all of it" : "bytes \(start) on, \(count) bytes"
            Terminal.note(Cell.visible("lost: \(range.file), \(bytes)"))
        }
        if !report.isComplete { throw ToolError(.damaged, "\(report)") }
        Terminal.note("\(report)")
    }
}
