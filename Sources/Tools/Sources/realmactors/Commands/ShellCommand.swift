import ArgumentParser
import Foundation
import RealmActors

struct ShellCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shell", abstract: "Run commands on a store interactively.",
        discussion: """
            The commands are those of `realmactors`, without the store: query Dog "age > 3". The \
            name of a class, with or without a query, is short for `query`. !! repeats the last \
            line, !3 the third; `history!` lists them. `exit` ends the shell. On a terminal, lines \
            are edited with the arrow keys and the keys of Emacs, up and down recall previous \
            lines, and tab completes commands, classes and properties.
            """)

    @OptionGroup var options: StoreOptions

    @Flag(help: "Allow commands to write.") var write = false

    func run() async throws {
        let key = try options.key.load()
        let realm = try await options.open(writing: write, key: key)
        let session = ShellSession(store: options.store, realm: realm, isWriting: write)
        Terminal.note(
            "\(options.store), version \(session.realm.latestVersion); `help` lists the commands")
        var lines: [String] = []
        let input = LineInput(prompt: "realm> ", words: completion(of: realm.schema))
        while let line = input.next(history: lines) {
            let line = recalled(line.trimmingCharacters(in: .whitespaces), lines)
            if line.isEmpty { continue }
            if line == "exit" || line == "quit" { break }
            if line == "history!" {
                for (index, line) in lines.enumerated() { Terminal.say("\(index + 1)  \(line)") }
                continue
            }
            lines.append(line)
            await ShellSession.$current.withValue(session) { await perform(line, session) }
        }
        try await session.realm.close()
    }

    /// The commands that are about no store.
    private static let storeless: Set<String> = ["benchmark", "help", "hosts"]

    private func completion(of schema: Schema) -> (_ before: String) -> [String] {
        let commands = RealmActorsCommand.subcommands.compactMap { $0.configuration.commandName }
        let completion = ShellCompletion(
            commands: commands.filter { $0 != "shell" } + ["exit", "help", "history!"],
            schema: schema)
        return completion.words(behind:)
    }

    private func recalled(_ line: String, _ lines: [String]) -> String {
        if line == "!!" { return lines.last ?? "" }
        guard line.hasPrefix("!"), let number = Int(line.dropFirst()),
            number > 0, number <= lines.count
        else { return line }
        return lines[number - 1]
    }

    private func perform(_ line: String, _ session: ShellSession) async {
        do {
            var words = try ShellWords.split(line)
            guard let first = words.first else { return }
            if first == "help", words.count == 1 {
                return Terminal.say(RealmActorsCommand.helpMessage())
            }
            let isCommand = RealmActorsCommand.subcommands.contains {
                $0.configuration.commandName == first
            }
            if !isCommand, session.realm.schema[first] != nil {
                let isQuoted = line.first == "\"" || line.first == "'"
                let query = line.dropFirst(first.count + (isQuoted ? 2 : 0))
                    .trimmingCharacters(in: .whitespaces)
                words = ["query", first] + (query.isEmpty ? [] : [query])
            }
            if words[0] == "shell" { throw ToolError(.badInput, "The shell is running already.") }
            if !Self.storeless.contains(words[0]) { words.insert(session.store, at: 1) }
            try await RealmActorsCommand.run(words)
        } catch let error as RealmError {
            Terminal.complain(error)
        } catch let error as ToolError {
            Terminal.complain(error)
        } catch {
            Terminal.note(RealmActorsCommand.fullMessage(for: error))
        }
    }
}
