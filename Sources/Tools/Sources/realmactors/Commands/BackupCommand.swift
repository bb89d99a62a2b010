import ArgumentParser
import Foundation
import RealmActors

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy a store, also while it is in use.",
        discussion: """
            The copy is a compacted store of one version. It is encrypted with the key of the \
            store, unless --new-key-file names another or --decrypt is given.

            With --incremental the files are copied unchanged, and the next such backup to the \
            same folder copies only what is new. The folder is a valid store at any time; a \
            backup that was written to cannot be continued. A run that is interrupted leaves the \
            previous backup, possibly renamed with the suffix .previous; the next run renames it \
            back.
            """)

    @OptionGroup var options: StoreOptions

    @Argument(
        help: "The folder of the copy; it must not exist, except as a backup to continue.",
        completion: .directory)
    var destination: String

    @Flag(help: "Copy only what is new since the previous incremental backup.")
    var incremental = false

    @Option(help: "A file with the key of the copy.", completion: .file())
    var newKeyFile: String?

    @Flag(help: "Do not encrypt the copy.") var decrypt = false

    @Option(help: "The format of the report.") var format = ReportFormat.text

    func validate() throws {
        if destination.isEmpty {
            throw ValidationError("The path of the copy is empty.")
        }
        if decrypt, newKeyFile != nil {
            throw ValidationError("Give one of --new-key-file and --decrypt.")
        }
        if incremental, decrypt || newKeyFile != nil {
            throw ValidationError(
                "An incremental backup is encrypted with the key of the store. Remove "
                    + "--new-key-file and --decrypt.")
        }
    }

    func run() async throws {
        let progress = ProgressLine("copying")
        let report = incremental ? try await backUp(progress) : try await copy(progress)
        progress.end()
        switch format {
        case .json: Terminal.say(try JSONText.text(report, isPretty: true))
        case .text:
            Terminal.note("version \(report.version) of \(options.store) is in \(destination)")
            if let note = report.note { Terminal.note(note) }
        }
    }

    /// What was done.
    private struct Report: Encodable {
        let version: UInt64
        var isIncremental = false
        /// Bytes that were copied; nil for a copy that was made anew.
        var bytesCopied: Int?
        var bytesKept: Int?
        var hasNewKey = false

        var note: String? {
            guard let bytesCopied, let bytesKept else { return nil }
            let copied = "\(readable(bytes: bytesCopied)) copied"
            let kept = isIncremental ? ", \(readable(bytes: bytesKept)) were there already" : ""
            return copied + kept + (hasNewKey ? "; it has the store's new key" : "")
        }
    }

    private func backUp(_ progress: ProgressLine) async throws -> Report {
        let done = try await options.withRealm { realm in
            try await realm.backUp(to: destination) { progress.show($0) }
        }
        return Report(
            version: done.version.rawValue, isIncremental: done.isIncremental,
            bytesCopied: done.bytesCopied, bytesKept: done.bytesKept, hasNewKey: done.hasNewKey)
    }

    private func copy(_ progress: ProgressLine) async throws -> Report {
        let newKey = try newKeyFile.map { try KeySource.file($0).key() }
        let version = try await options.withRealm { realm in
            let key = decrypt ? nil : newKey ?? realm.configuration.encryptionKey
            return try await realm.writeCopy(to: destination, encryptionKey: key) {
                progress.show($0)
            }
        }
        return Report(version: version.rawValue)
    }
}
