import ArgumentParser
import Foundation
import RealmActors

struct HistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "List the commits in the log.",
        discussion: """
            How far it goes back is for Configuration.history of the program to say. Old values \
            are in commits that were made while history was kept, or while somebody followed \
            them.
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case table, json, jsonl
    }

    @OptionGroup var options: StoreOptions

    @Option(help: "Begin after a commit: its token, or the number of its version.")
    var since: String?

    @Option(name: .customLong("class"), help: "List only commits that changed this class.")
    var className: String?

    @Option(help: "The output format; json and jsonl include the values.") var format = Format.table

    func run() async throws {
        try await options.withRealm { realm in
            if let className { _ = try realm.requiredClass(className) }
            var table = TextTable(
                ["version", "time", "author", "changes"], isNumeric: [true, false, false, false])
            var reports: [FrozenValue] = []
            var json = ValueJSON(LinkForm(realm.schema))
            let start = try since.map { try TokenText.token($0, realm) }
            for try await commit in realm.pastCommits(since: start) {
                if let className, !commit.classNames.contains(className) { continue }
                switch format {
                case .json:
                    reports.append(try CommitReport(commit, realm, className: className).value)
                case .jsonl:
                    let report = try CommitReport(commit, realm, className: className)
                    Terminal.say(try json.text(report.value))
                case .table:
                    table.add([
                        "\(commit.version)", DateText.text(commit.time), commit.author ?? "",
                        Self.summary(commit),
                    ])
                }
            }
            switch format {
            case .table:
                for line in table.lines(width: Terminal.width) { Terminal.say(line) }
            case .json: Terminal.say(JSONText.pretty(try json.text(.list(reports))))
            case .jsonl: break
            }
        }
    }

    private static func summary(_ commit: RealmCommit) -> String {
        commit.changes.map { change in
            var parts: [String] = []
            if !change.insertions.isEmpty { parts.append("+\(change.insertions.count)") }
            if !change.modifications.isEmpty { parts.append("~\(change.modifications.count)") }
            if !change.deletions.isEmpty { parts.append("-\(change.deletions.count)") }
            return "\(change.className) \(parts.joined(separator: " "))"
        }.joined(separator: "; ")
    }
}
