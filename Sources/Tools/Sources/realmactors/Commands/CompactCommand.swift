import ArgumentParser
import RealmActors

struct CompactCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact", abstract: "Return the unused space of a store to the file system.",
        discussion: "A store is also compacted automatically while it is written.")

    @OptionGroup var options: StoreOptions

    @Option(help: "The output format.") var format = ReportFormat.text

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
