import ArgumentParser
import Foundation
import RealmActors

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy a store, also while it is written.",
        discussion: """
            The copy is of one version and has nothing that is unused. It has the key of the \
            store, sealed anew, unless --new-key-file gives another or --decrypt none.
            """)

    @OptionGroup var options: StoreOptions

    @Argument(help: "Where the copy goes; nothing may be there.", completion: .directory)
    var destination: String

    @Option(help: "A file with the key of the copy.", completion: .file())
    var newKeyFile: String?

    @Flag(help: "Do not encrypt the copy.") var decrypt = false

    func validate() throws {
        if decrypt, newKeyFile != nil {
            throw ValidationError("Give one of --new-key-file and --decrypt.")
        }
    }

    func run() async throws {
        let newKey = try newKeyFile.map { try KeySource.file($0).key() }
        let progress = ProgressLine("copying")
        let version = try await options.withRealm { realm in
            let key = decrypt ? nil : newKey ?? realm.configuration.encryptionKey
            let version = realm.latestVersion
            try await realm.writeCopy(to: destination, encryptionKey: key) { progress.show($0) }
            return version
        }
        progress.end()
        Terminal.note("version \(version) of \(options.store) is in \(destination)")
    }
}

struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Make a store of a backup.",
        discussion: """
            The backup is verified first. What is at the destination stays as it is unless \
            --replace says to delete it, which no program may have open.
            """)

    @OptionGroup var options: StoreOptions

    @Argument(help: "Where the store is to be.", completion: .directory)
    var destination: String

    @Flag(help: "Delete the store that is there, once the backup is copied.") var replace = false

    @Flag(name: .shortAndLong, help: "Replace it without asking.") var yes = false

    func run() async throws {
        let exists = Realm.exists(at: destination)
        if exists {
            guard replace else {
                throw ToolError(
                    .badInput, "There is a store at \(destination). Say --replace to delete it.")
            }
            try Terminal.confirm("Delete the store at \(destination)?", isAnswered: yes)
        }
        let copy = exists ? destination + ".restoring" : destination
        let progress = ProgressLine("restoring")
        try await options.withRealm { realm in
            let report = try await realm.verify()
            guard report.isIntact else {
                throw ToolError(
                    .damaged, "The backup has \(report.problemCount) problems: `verify` lists them."
                )
            }
            if exists { try Realm.deleteFiles(at: copy) }
            try await realm.writeCopy(to: copy, encryptionKey: realm.configuration.encryptionKey) {
                progress.show($0)
            }
        }
        progress.end()
        guard exists else { return }
        try Realm.deleteFiles(at: destination)
        try FileManager.default.moveItem(atPath: copy, toPath: destination)
    }
}
