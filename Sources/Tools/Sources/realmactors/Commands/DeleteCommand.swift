import ArgumentParser
import RealmActors

struct DeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete objects of a class.",
        discussion: """
            The objects to be deleted are shown for confirmation. A query is evaluated again in \
            the transaction that deletes its objects. If the result has changed since it was \
            shown, nothing is deleted, unless --yes is given.
            """)

    @OptionGroup var options: StoreOptions

    @Argument(help: "The class.") var className: String

    @Argument(help: "The primary key of one object.") var primaryKey: String?

    @Option(name: .customLong("where"), help: "Delete the objects that match a query.")
    var query: String?

    @Flag(help: "Delete all objects of the class.") var all = false

    @Flag(name: .shortAndLong, help: "Skip the confirmation.") var yes = false

    @Option(help: "The format of the report.") var format = ReportFormat.text

    func validate() throws {
        let given = [primaryKey != nil, query != nil, all].filter { $0 }.count
        if given != 1 { throw ValidationError("Give a primary key, --where or --all.") }
    }

    func run() async throws {
        let report = try await options.withConfirmation {
            try await confirm($0)
        } then: {
            try await delete($1, in: $0)
        }
        switch format {
        case .json: Terminal.say(try JSONText.text(report, isPretty: true))
        case .text: if primaryKey == nil { Terminal.note("\(report.deleted) objects deleted") }
        }
    }

    /// What was done, for scripts.
    private struct Report: Encodable {
        let className: String
        let deleted: Int
        let version: UInt64

        enum CodingKeys: String, CodingKey {
            case className = "class"
            case deleted, version
        }
    }

    private struct Question {
        let type: ObjectSchema
        /// The one object; nil of those that are found.
        let reference: ObjectReference<DynamicObject>?
        let shown: Shown
    }

    private func confirm(_ realm: Realm) async throws -> Question {
        let type = try realm.requiredClass(className)
        guard let primaryKey else {
            var found = try realm.dynamicObjects(className)
            if let query { found = try found.filter(query) }
            found = try await found.evaluated()
            let shown = try Self.shown(of: found, type, in: realm.schema)
            for object in found.prefix(Self.shownCount) { Terminal.note(try object.line(type)) }
            try Terminal.confirm(
                "Delete \(found.count) objects of \(className)?", isAnswered: yes)
            return Question(type: type, reference: nil, shown: shown)
        }
        let object = try realm.snapshot().requiredObject(type, primaryKey)
        let shown = try Shown([object], of: 1, type.properties, in: realm.schema)
        Terminal.note(try object.line(type))
        try Terminal.confirm("Delete \(className) \(primaryKey)?", isAnswered: yes)
        return Question(type: type, reference: object.reference, shown: shown)
    }

    private static let shownCount = 5

    private static func shown(
        of found: FrozenResults<DynamicObject>, _ type: ObjectSchema, in schema: Schema
    ) throws -> Shown {
        try Shown(found.prefix(shownCount), of: found.count, type.properties, in: schema)
    }

    private func delete(_ question: Question, in realm: Realm) async throws -> Report {
        let (query, isAsked, schema) = (query, !yes, realm.schema)
        let deleted: Int = try await realm.write(author: "realmactors delete") { tx in
            try Self.delete(question, query, isAsked: isAsked, schema, in: tx)
        }
        return Report(
            className: className, deleted: deleted, version: realm.latestVersion.rawValue)
    }

    private static func delete(
        _ question: Question, _ query: String?, isAsked: Bool, _ schema: Schema,
        in tx: WriteTransaction
    ) throws -> Int {
        let type = question.type
        if let reference = question.reference {
            let object = tx.resolve(reference)
            if isAsked {
                let now = object.map { [$0.freeze()] } ?? []
                try question.shown.require(
                    Shown(now, of: now.count, type.properties, in: schema))
            }
            guard let object else { return 0 }
            try tx.delete(object)
            return 1
        }
        var found = try tx.dynamicObjects(type.className)
        if let query { found = try found.filter(query) }
        if isAsked {
            try question.shown.require(shown(of: found.freeze(), type, in: schema))
        }
        let count = found.count
        if query == nil { try tx.deleteAll(ofType: type.className) } else { try tx.delete(found) }
        return count
    }
}

extension Frozen<DynamicObject> {
    /// The object in one line.
    fileprivate func line(_ type: ObjectSchema) throws -> String {
        let values = try type.properties.map { "\($0.name): \(Cell.text(try self[$0.name]))" }
        return "  " + Cell.visible(values.joined(separator: ", "))
    }
}
