import ArgumentParser
import Foundation
import RealmActors

/// The command and its subcommands.
struct RealmActorsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "realmactors",
        abstract: "Inspect, change, back up and repair realms.",
        discussion: """
            It opens any store of RealmActors without its models, at every schema version, also \
            while a program has it open. Only import, set, delete, compact, rekey and restore \
            change a store, and shell and browse with --write; verify acquires the writer lease, \
            and changes no object.

            Exit codes: \(ExitStatus.legend).
            """,
        subcommands: subcommands)

    /// What the shell offers as well.
    static let subcommands: [any ParsableCommand.Type] = [
        InfoCommand.self, SchemaCommand.self, QueryCommand.self, GetCommand.self,
        VerifyCommand.self, ExportCommand.self, ImportCommand.self, TailCommand.self,
        HistoryCommand.self, DiffCommand.self, SetCommand.self, DeleteCommand.self,
        CompactCommand.self, BackupCommand.self, RestoreCommand.self, RekeyCommand.self,
        SalvageCommand.self, BenchmarkCommand.self, BrowseCommand.self, HostsCommand.self,
        ShellCommand.self,
    ]
}

@main
enum Main {
    static func main() async {
        Terminal.reserveStandardFiles()
        do {
            try await RealmActorsCommand.run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            ExitStatus.leave(after: error)
        }
    }
}

extension RealmActorsCommand {
    /// Runs the command that the arguments name.
    static func run(_ arguments: [String]) async throws {
        var command = try parseAsRoot(arguments)
        if var asynchronous = command as? any AsyncParsableCommand {
            try await asynchronous.run()
        } else {
            try command.run()
        }
    }
}
