import ArgumentParser
import RealmActors

struct CompactCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact", abstract: "Give the space that a store does not use to the disk.",
        discussion: "A store does this by itself while it is written; here it is done at once.")

    @OptionGroup var options: StoreOptions

    @Option(help: "How it is written.") var format = ReportFormat.text

    func run() async throws {
        let progress = ProgressLine("compacting")
        let (before, after) = try await options.withRealm(writing: true) { realm in
            let before = realm.statistics.diskBytes
            try await realm.compact { progress.show($0) }
            return (before, realm.statistics.diskBytes)
        }
        progress.end()
        switch format {
        case .json:
            Terminal.say(try JSONText.text(["bytesBefore": before, "bytesAfter": after]))
        case .text:
            Terminal.say("\(readable(bytes: before)) before, \(readable(bytes: after)) now")
        }
    }
}
