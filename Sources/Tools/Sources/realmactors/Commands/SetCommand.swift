import ArgumentParser
import Foundation
import RealmActors

struct SetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change properties of one object, or create it.",
        discussion: """
            The changes are shown for confirmation. If the properties have changed since they \
            were shown, nothing is written. Values are written as in CSV: links as primary keys, \
            collections as JSON, nil as nothing or null.
            """)

    @OptionGroup var options: StoreOptions

    @Argument(help: "The class.") var className: String

    @Argument(help: "The primary key.") var primaryKey: String

    @Argument(help: "The properties to set: age=3 name=Rex.") var assignments: [String]

    @Flag(help: "Create the object if it does not exist.") var create = false

    @Flag(name: .shortAndLong, help: "Skip the confirmation.") var yes = false

    @Option(help: "The format of the report.") var format = ReportFormat.text

    func run() async throws {
        let report = try await options.withConfirmation {
            try confirm($0)
        } then: {
            try await change($1, in: $0)
        }
        switch format {
        case .json: Terminal.say(try JSONText.text(report, isPretty: true))
        case .text: break
        }
    }

    /// What was done, for scripts.
    private struct Report: Encodable {
        let className: String
        let key: FrozenValue
        let isNew: Bool
        let version: UInt64

        enum CodingKeys: String, CodingKey {
            case className = "class"
            case key, isNew, version
        }
    }

    private struct Question {
        let key: Property
        /// The object; nil of one that is to be made.
        let reference: ObjectReference<DynamicObject>?
        let properties: [Property]
        let shown: Shown
        /// What the object gets, in JSON.
        let json: Data
    }

    private func confirm(_ realm: Realm) throws -> Question {
        let type = try realm.requiredClass(className)
        let object = try realm.snapshot().object(type, primaryKey)
        guard let key = type.primaryKeyProperty else {
            throw RealmError.noPrimaryKey(className: className)
        }
        if object == nil, !create {
            throw ToolError(
                .notFound,
                "There is no '\(className)' with primary key \(primaryKey). "
                    + "Give --create to create it.")
        }
        let values = TextValue(schema: realm.schema)
        var fields: [String] = []
        var properties: [Property] = []
        var table = TextTable(["property", "now", "then"], isNumeric: [false, false, false])
        for (property, text) in try assignments.map({ try Self.parse($0, type) }) {
            if properties.contains(property) {
                throw ToolError(.badInput, "'\(property.name)' is set twice.")
            }
            properties.append(property)
            let json = try values.json(text, property, in: type)
            fields.append("\(try JSONText.text(property.name)):\(json)")
            table.add([
                property.name, try object.map { Cell.text(try $0[property.name]) } ?? "", text,
            ])
        }
        // Of the object that was shown: its key may be a text that looks like nil.
        let json =
            if let object {
                try JSONText.text(try object[key.name])
            } else if key.type == .int {
                try values.json(primaryKey, key, in: type)
            } else {
                try JSONText.text(primaryKey)
            }
        fields.append("\(try JSONText.text(key.name)):\(json)")
        let found = object.map { [$0] } ?? []
        let shown = try Shown(found, of: found.count, properties, in: realm.schema)
        for line in table.lines(width: Terminal.width) { Terminal.note(line) }
        let verb = object == nil ? "Make" : "Change"
        try Terminal.confirm("\(verb) \(className) \(primaryKey)?", isAnswered: yes)
        return Question(
            key: key, reference: object?.reference, properties: properties, shown: shown,
            json: Data("{\(fields.joined(separator: ","))}".utf8))
    }

    private func change(_ question: Question, in realm: Realm) async throws -> Report {
        let (name, keyText, isAsked, schema) = (className, primaryKey, !yes, realm.schema)
        let key: FrozenValue = try await realm.write(author: "realmactors set") { tx in
            if let reference = question.reference {
                guard let object = tx.resolve(reference) else {
                    throw ToolError(
                        .notFound, "'\(name)' with primary key \(keyText) was deleted meanwhile.")
                }
                if isAsked {
                    try question.shown.require(
                        Shown([object.freeze()], of: 1, question.properties, in: schema))
                }
            }
            let written = try tx.dynamicCreate(
                name, json: question.json, update: question.reference == nil ? .error : .modified,
                unknownKeys: .refuse, links: .existing, decoder: JSONText.decoder())
            return try written[0].freeze()[question.key.name]
        }
        return Report(
            className: className, key: key, isNew: question.reference == nil,
            version: realm.latestVersion.rawValue)
    }

    private static func parse(
        _ assignment: String, _ type: ObjectSchema
    ) throws -> (Property, String) {
        guard let equals = assignment.firstIndex(of: "=") else {
            throw ToolError(.badInput, "'\(assignment)' is not of the form property=value.")
        }
        let name = String(assignment[..<equals])
        // Whole, for a comma may be part of it.
        let properties = try type[name].map { [$0] } ?? type.chosen(name)
        guard properties.count == 1, let property = properties.first, !property.isPrimaryKey else {
            throw ToolError(
                .badInput,
                "'\(assignment)' names no property that can be set: one that is not the "
                    + "primary key.")
        }
        return (property, String(assignment[assignment.index(after: equals)...]))
    }
}
