import ArgumentParser
import RealmActors

struct SalvageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "salvage",
        abstract: "Copy the intact objects of a damaged store into a new one.",
        discussion: """
            The damaged store is not changed. The exit code is \(ExitStatus.damaged.rawValue) \
            if data was lost.
            """)

    @OptionGroup var options: StoreOptions

    @Argument(help: "The folder of the new store; it must not exist.", completion: .directory)
    var destination: String

    @Option(help: "The output format.") var format = ReportFormat.text

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
