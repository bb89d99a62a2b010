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

    func run() async throws {
        let progress = ProgressLine("reading")
        let report = try await Realm.salvage(
            from: options.store, to: destination, encryptionKey: try options.key.load()
        ) { progress.show($0) }
        progress.end()
        for (name, count) in report.objects.sorted(by: { $0.key < $1.key }) {
            Terminal.say("\(count) objects of \(name)")
        }
        for range in report.lostRanges {
            Terminal.note(
                "lost: \(range.file), bytes \(range.bytes.lowerBound) on, "
                    + "\(range.bytes.count) bytes")
        }
        if !report.isComplete { throw ToolError(.damaged, "\(report)") }
        Terminal.note("\(report)")
    }
}
