import ArgumentParser
import Foundation
import RealmActors

struct SetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change properties of one object, or make it.",
        discussion: """
            It shows what would change and asks. Values are texts as CSV has them: links by \
            primary key, collections as JSON, nothing or null for nil.
            """)

    @OptionGroup var options: StoreOptions

    @Argument(help: "The class.") var className: String

    @Argument(help: "The primary key.") var primaryKey: String

    @Argument(help: "What to set: age=3 name=Rex.") var assignments: [String]

    @Flag(help: "Make the object when it is not there.") var create = false

    @Flag(name: .shortAndLong, help: "Do it without asking.") var yes = false

    func run() async throws {
        try await options.withRealm(writing: true) { realm in
            let type = try realm.requiredClass(className)
            let object = try realm.snapshot().object(type, primaryKey)
            if object == nil, !create {
                throw ToolError(
                    .notFound,
                    "There is no '\(className)' with primary key \(primaryKey). "
                        + "Say --create to make it.")
            }
            let values = TextValue(schema: realm.schema)
            var fields: [String] = []
            var names: Set<String> = []
            var table = TextTable(
                ["property", "now", "then"], isNumeric: [false, false, false])
            for assignment in try assignments.map({ try Self.parse($0, type) }) {
                let (property, text) = assignment
                guard names.insert(property.name).inserted else {
                    throw ToolError(.badInput, "'\(property.name)' is set twice.")
                }
                let json = try values.json(text, property, in: type)
                fields.append("\(try JSONText.text(property.name)):\(json)")
                table.add([
                    property.name, try object.map { Cell.text(try $0[property.name]) } ?? "", text,
                ])
            }
            if let key = type.primaryKeyProperty {
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
            }
            for line in table.lines(width: Terminal.width) { Terminal.note(line) }
            let verb = object == nil ? "Make" : "Change"
            try Terminal.confirm("\(verb) \(className) \(primaryKey)?", isAnswered: yes)
            let json = Data("{\(fields.joined(separator: ","))}".utf8)
            let (name, key) = (className, primaryKey)
            let reference = object?.reference
            try await realm.write(author: "realmactors set") { tx in
                if let reference, tx.resolve(reference) == nil {
                    throw ToolError(
                        .notFound, "'\(name)' with primary key \(key) has just been deleted.")
                }
                try tx.dynamicCreate(
                    name, json: json, update: reference == nil ? .error : .modified,
                    unknownKeys: .refuse, links: .existing, decoder: JSONText.decoder())
                return
            }
        }
    }

    private static func parse(
        _ assignment: String, _ type: ObjectSchema
    ) throws -> (Property, String) {
        guard let equals = assignment.firstIndex(of: "=") else {
            throw ToolError(.badInput, "'\(assignment)' is no property=value.")
        }
        let properties = try type.chosen(String(assignment[..<equals]))
        guard properties.count == 1, let property = properties.first, !property.isPrimaryKey else {
            throw ToolError(
                .badInput,
                "'\(assignment)' names no property that can be set: one that is not the "
                    + "primary key.")
        }
        return (property, String(assignment[assignment.index(after: equals)...]))
    }
}
