import ArgumentParser
import RealmActors

struct RekeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rekey", abstract: "Change the key of an encrypted store.",
        discussion: """
            The data is not encrypted again: if the old key was disclosed together with the \
            files, make a backup with --new-key-file instead.
            """)

    @OptionGroup var options: StoreOptions

    @Option(help: "A file with the new key.", completion: .file()) var newKeyFile: String?

    @Option(help: "The name of an environment variable with the new key in hexadecimal digits.")
    var newKeyEnv: String?

    @Option(help: "The format of the report.") var format = ReportFormat.text

    func validate() throws {
        if (newKeyFile == nil) == (newKeyEnv == nil) {
            throw ValidationError("Give one of --new-key-file and --new-key-env.")
        }
    }

    func run() async throws {
        let source = newKeyFile.map { KeySource.file($0) } ?? .environment(newKeyEnv ?? "")
        let key = try source.key()
        let version = try await options.withRealm(writing: true) { realm in
            try await realm.rekey(to: key)
            return realm.latestVersion.rawValue
        }
        switch format {
        case .json:
            let report = Report(path: options.store, version: version)
            Terminal.say(try JSONText.text(report, isPretty: true))
        case .text: Terminal.note("'\(options.store)' has the new key")
        }
    }

    /// What was done, for scripts.
    private struct Report: Encodable {
        let path: String
        let version: UInt64
    }
}
