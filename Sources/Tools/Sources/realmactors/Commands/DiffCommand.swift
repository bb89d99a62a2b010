import ArgumentParser
import Foundation
import RealmActors

struct DiffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Show the differences between two versions.",
        discussion: """
            It reads the commits between them, which have to be in the log (see `history`). \
            A value that was changed and changed back is reported as changed.
            """)

    @OptionGroup var options: StoreOptions

    @Argument(help: "The number of the older version.") var from: UInt64

    @Argument(help: "The number of the newer version; by default the newest.")
    var to: UInt64?

    @Option(help: "The output format.") var format = ReportFormat.text

    func validate() throws {
        if let to, to < from { throw ValidationError("Give the older version first.") }
    }

    func run() async throws {
        try await options.withRealm { realm in
            let end = to.map { Realm.Version(rawValue: $0) } ?? realm.latestVersion
            guard end <= realm.latestVersion else {
                throw ToolError(
                    .notFound, "The newest version is \(realm.latestVersion), not \(end).")
            }
            var difference = VersionDifference()
            let start = try TokenText.token("\(from)", realm)
            for try await commit in realm.pastCommits(since: start) {
                if commit.version > end { break }
                difference.add(try CommitReport(commit, realm).changes)
            }
            var json = ValueJSON(LinkForm(realm.schema))
            switch format {
            case .json:
                let changes = FrozenValue.list(difference.changes.map(\.value))
                Terminal.say(JSONText.pretty(try json.text(changes)))
            case .text:
                let lines = try difference.changes.flatMap { try $0.lines(&json) }
                for line in lines { Terminal.say(Cell.visible(line)) }
                if lines.isEmpty { Terminal.note("no differences") }
            }
        }
    }
}

/// What commits have done together.
struct VersionDifference {
    private struct Object {
        var wasThere: Bool
        var isThere = true
        var key: FrozenValue?
        var values: [String: FrozenValue] = [:]
        var oldValues: [String: FrozenValue] = [:]
        var properties: Set<String> = []
    }

    private var classes: [String: [Int64: Object]] = [:]

    mutating func add(_ commit: [CommitReport.Change]) {
        for change in commit {
            // Removed meanwhile: a second reference would have each commit copy all objects.
            var objects = classes.removeValue(forKey: change.className) ?? [:]
            for entry in change.inserted { update(&objects, entry, wasThere: false) }
            for entry in change.modified { update(&objects, entry, wasThere: true) }
            for entry in change.deleted {
                update(&objects, entry, wasThere: true)
                objects[entry.row]?.isThere = false
            }
            classes[change.className] = objects
        }
    }

    private func update(
        _ objects: inout [Int64: Object], _ entry: CommitReport.Entry, wasThere: Bool
    ) {
        var object = objects[entry.row] ?? Object(wasThere: wasThere)
        object.key = entry.key ?? object.key
        // The first old value and the last new one are those of the two versions: a commit that
        // names a property without them leaves them unknown, whatever the others have.
        let before = entry.oldValues ?? [:]
        object.oldValues.merge(before.filter { !object.properties.contains($0.key) }) {
            first, _ in first
        }
        for name in entry.properties ?? [] { object.values[name] = nil }
        object.values.merge(entry.values ?? [:]) { _, last in last }
        object.properties.formUnion(entry.properties ?? [])
        objects[entry.row] = object
    }

    var changes: [CommitReport.Change] {
        classes.sorted { $0.key < $1.key }.compactMap { name, objects in
            let objects = objects.sorted { $0.key < $1.key }
            func entries(_ isIncluded: (Object) -> Bool) -> [CommitReport.Entry] {
                objects.filter { isIncluded($0.value) }.map { row, object in
                    CommitReport.Entry(
                        row: row, key: object.key,
                        properties: object.wasThere && object.isThere
                            ? object.properties.sorted() : nil,
                        values: object.isThere ? object.values : nil,
                        oldValues: object.wasThere ? object.oldValues : nil)
                }
            }
            let change = CommitReport.Change(
                className: name, inserted: entries { !$0.wasThere && $0.isThere },
                modified: entries { $0.wasThere && $0.isThere },
                deleted: entries { $0.wasThere && !$0.isThere })
            let isEmpty =
                change.inserted.isEmpty && change.modified.isEmpty && change.deleted.isEmpty
            return isEmpty ? nil : change
        }
    }
}

extension CommitReport.Change {
    /// The change for people.
    fileprivate func lines(_ json: inout ValueJSON) throws -> [String] {
        func name(_ entry: CommitReport.Entry) -> String {
            "\(className) \(entry.key.map(Cell.text) ?? "#\(entry.row)")"
        }
        var lines = try inserted.map { entry in
            "+ \(name(entry)) \(try json.text(.dictionary(entry.values ?? [:])))"
        }
        for entry in modified {
            let changes = try (entry.properties ?? []).map { property in
                let old = try entry.oldValues?[property].map { try json.text($0) } ?? "?"
                let new = try entry.values?[property].map { try json.text($0) } ?? "?"
                return "\(property): \(old) -> \(new)"
            }
            lines.append("~ \(name(entry)) \(changes.joined(separator: ", "))")
        }
        return lines + deleted.map { "- \(name($0))" }
    }
}
