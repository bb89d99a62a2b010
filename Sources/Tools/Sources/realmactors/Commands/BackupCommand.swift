import ArgumentParser
import Foundation
import RealmActors

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy a store, also while it is written.",
        discussion: """
            The copy is of one version and has nothing that is unused. It has the key of the \
            store, sealed anew, unless --new-key-file gives another or --decrypt none.

            With --incremental the files are copied as they are, and the next such backup to the \
            same folder takes only what is new. The folder is a store by itself at any time; who \
            writes to it ends that. A run that is cut off leaves what was there before, at the \
            latest under the name with .previous behind it, which the next run puts back.
            """)

    @OptionGroup var options: StoreOptions

    @Argument(
        help: "Where the copy goes; nothing may be there but a backup to continue.",
        completion: .directory)
    var destination: String

    @Flag(help: "Copy what is new since the incremental backup that is there.")
    var incremental = false

    @Option(help: "A file with the key of the copy.", completion: .file())
    var newKeyFile: String?

    @Flag(help: "Do not encrypt the copy.") var decrypt = false

    @Option(help: "How it is written what was done.") var format = ReportFormat.text

    func validate() throws {
        if destination.isEmpty {
            throw ValidationError("The path of the copy is empty.")
        }
        if decrypt, newKeyFile != nil {
            throw ValidationError("Give one of --new-key-file and --decrypt.")
        }
        if incremental, decrypt || newKeyFile != nil {
            throw ValidationError(
                "An incremental backup has the key of the store: it is sealed as that is. Leave "
                    + "out --new-key-file and --decrypt.")
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
