import ArgumentParser
import RealmActors

struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check every node, index, link and log record of a store.",
        discussion: """
            The command holds the writer lease, which checking the log requires. No object \
            changes, but the store is opened and closed as by a program that writes. The log is \
            not checked while another process holds the lease, with --read-only, and in backups \
            and in folders of hosts on a shared log; then only the newest version is checked. \
            The exit code is \(ExitStatus.damaged.rawValue) if damage is found.
            """)

    @OptionGroup var options: StoreOptions

    @Option(help: "The output format.") var format = ReportFormat.text

    @Flag(help: "Do not acquire the writer lease.") var readOnly = false

    func run() async throws {
        let progress = ProgressLine("verifying")
        let isReadOnly = readOnly || StoreFiles.isWrittenElsewhere(options.store)
        let writing = ShellSession.current?.isWriting ?? !isReadOnly
        let report = try await options.withRealm(writing: writing) { realm in
            try await realm.verify { progress.show($0) }
        }
        progress.end()
        switch format {
        case .json: Terminal.say(try JSONText.text(Summary(report), isPretty: true))
        case .text:
            let checked = report.checked
            for problem in report.problems {
                Terminal.say(Cell.visible("\(problem.kind): \(problem)"))
            }
            Terminal.say(
                "version \(report.version): \(checked.objects) objects, \(checked.links) links, "
                    + "\(checked.indexEntries) index entries, \(checked.nodes) nodes, "
                    + (checked.segments == 0
                        ? "not the log"
                        : "\(checked.commits) commits in \(checked.segments) files of the log"))
            Terminal.say(report.isIntact ? "intact" : "\(report.problemCount) problems")
        }
        if !report.isIntact {
            throw ToolError(.damaged, "The store is damaged: \(report.problemCount) problems.")
        }
    }

    private struct Summary: Encodable {
        let isIntact: Bool
        let version: UInt64
        let problemCount: Int
        let problems: [String]
        let objects: Int
        let links: Int
        let indexEntries: Int
        let nodes: Int
        let commits: Int
        /// Files of the log that were checked; none where it was left out.
        let segments: Int

        init(_ report: VerificationReport) {
            isIntact = report.isIntact
            version = report.version.rawValue
            problemCount = report.problemCount
            problems = report.problems.map(\.description)
            objects = report.checked.objects
            links = report.checked.links
            indexEntries = report.checked.indexEntries
            nodes = report.checked.nodes
            commits = report.checked.commits
            segments = report.checked.segments
        }
    }
}
