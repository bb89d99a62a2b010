import ArgumentParser
import Foundation
import RealmActors

struct TailCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tail", abstract: "Show commits as they happen, a line of JSON for each.",
        discussion: """
            A line for each commit, with the objects that it inserted, modified and deleted and \
            their values. To continue after a commit, give its "token" to --since. With --paths \
            a class is observed instead: an object is modified when a value on one of the paths \
            is, including values of linked objects.
            """)

    @OptionGroup var options: StoreOptions

    @Argument(help: "The class; by default all classes.") var className: String?

    @Option(help: "Begin after a commit: its token, or the number of its version.")
    var since: String?

    @Option(help: "Observe these key paths, separated by commas.")
    var paths: String?

    @Option(help: "The number of lines after which the command ends.") var count: Int?

    func validate() throws {
        if paths != nil, className == nil { throw ValidationError("--paths requires a class.") }
        if paths != nil, since != nil {
            throw ValidationError("--paths and --since cannot be combined.")
        }
        if paths != nil, pathNames.contains("") {
            throw ValidationError("--paths has an empty path.")
        }
    }

    func run() async throws {
        if let count, count <= 0 { return }
        try await options.withRealm { realm in
            if let className { _ = try realm.requiredClass(className) }
            if paths != nil, let className { return try await watch(realm, className, pathNames) }
            try await follow(realm)
        }
    }

    /// The paths that are given. A space may be part of a name.
    private var pathNames: [String] {
        (paths ?? "").split(separator: ",", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }

    private func follow(_ realm: Realm) async throws {
        let token = try since.map { try TokenText.token($0, realm) }
        var shown = 0
        var json = ValueJSON(LinkForm(realm.schema))
        Terminal.note("following \(options.store), version \(realm.latestVersion)")
        for try await commit in realm.commits(since: token) {
            let report = try CommitReport(commit, realm, className: className)
            if report.changes.isEmpty { continue }
            Terminal.say(try json.text(report.value))
            shown += 1
            if shown == count { return }
        }
    }

    private func watch(_ realm: Realm, _ className: String, _ paths: [String]) async throws {
        let links = LinkForm(realm.schema)
        let properties = links.properties(className)
        var json = ValueJSON(links)
        var shown = 0
        for try await change in try realm.dynamicObjects(className).changes(keyPaths: paths) {
            guard case .update(let objects, let deletions, let insertions, _) = change else {
                Terminal.note("watching \(change.collection.count) objects of \(className)")
                continue
            }
            let inserted = try insertions.map { try json.text(objects[$0], properties) }
            let modified = try change.newModifications.map {
                try json.text(objects[$0], properties)
            }
            // The positions that the deleted objects had.
            let deleted = deletions.map { "\($0)" }
            let fields = [("deleted", deleted), ("inserted", inserted), ("modified", modified)]
                .map { name, values in "\"\(name)\":[\(values.joined(separator: ","))]" }
            Terminal.say(
                "{\(fields.joined(separator: ",")),\"version\":\(objects.snapshot.version)}")
            shown += 1
            if shown == count { return }
        }
    }
}
