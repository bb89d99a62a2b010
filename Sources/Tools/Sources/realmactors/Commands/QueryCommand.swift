import ArgumentParser
import Foundation
import RealmActors

struct QueryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query", abstract: "Find the objects of a class.",
        discussion: """
            A query is in the language of filter(_:): "age > 3 AND owner.name BEGINSWITH 'A' \
            SORT(name ASC) LIMIT(20)". It is described in Documentation/Queries.md.
            """)

    @OptionGroup var options: StoreOptions

    @OptionGroup var past: PastOptions

    @Argument(help: "The class.") var className: String

    @Argument(help: "The query; by default all objects.") var query: String?

    @Option(help: "The properties to show, separated by commas.") var columns: String?

    @Option(help: "The output format.") var format = OutputFormat.table

    @Option(help: "The maximum number of objects in a table; 0 for all.") var rows = 200

    @Flag(help: "Show the query plan instead of the objects.") var explain = false

    @Flag(help: "Show the number of objects instead.") var count = false

    @Option(help: "The minimum of a property, also of a linked object.") var min: [String] =
        []

    @Option(help: "The maximum of a property.") var max: [String] = []

    @Option(help: "The sum of a property.") var sum: [String] = []

    @Option(help: "The average of a property.") var average: [String] = []

    func validate() throws {
        if rows < 0 { throw ValidationError("--rows is 0 or more.") }
    }

    func run() async throws {
        try await options.withRealm { realm in
            let type = try realm.requiredClass(className)
            let snapshot = try await past.snapshot(of: realm)
            var found = try snapshot.dynamicObjects(className)
            if let query { found = try found.filter(query) }
            if explain {
                let explanation = found.explain()
                if let failure = snapshot.failure { throw failure }
                return try show(explanation: explanation)
            }
            let aggregates = try await aggregates(of: found)
            if aggregates.isEmpty { try await show(found, type, LinkForm(realm.schema)) }
            // What cannot be read is shown as nothing.
            if let failure = snapshot.failure { throw failure }
            if !aggregates.isEmpty { try show(aggregates, LinkForm(realm.schema)) }
        }
    }

    /// The aggregates that the options name, in place of the objects.
    private func aggregates(
        of found: FrozenResults<DynamicObject>
    ) async throws -> [(name: String, value: FrozenValue)] {
        var aggregates: [(name: String, value: FrozenValue)] = []
        if count { aggregates.append(("count", .int(try await found.evaluated().count))) }
        for name in min { aggregates.append(("min \(name)", try found.min(ofProperty: name))) }
        for name in max { aggregates.append(("max \(name)", try found.max(ofProperty: name))) }
        for name in sum { aggregates.append(("sum \(name)", try found.sum(ofProperty: name))) }
        for name in average {
            let value = try found.average(ofProperty: name)
            aggregates.append(("average \(name)", value.map { .double($0) } ?? .none))
        }
        return aggregates
    }

    private func show(explanation: String) throws {
        switch format {
        case .json, .jsonl: Terminal.say(try JSONText.text(["explanation": explanation]))
        case .table, .csv: Terminal.say(Cell.visibleLines(explanation))
        }
    }

    private func show(
        _ aggregates: [(name: String, value: FrozenValue)], _ links: LinkForm
    ) throws {
        var json = ValueJSON(links)
        switch format {
        case .json, .jsonl:
            let values = aggregates.map { ($0.name, $0.value) }
            Terminal.say(
                try json.text(
                    .dictionary(Dictionary(values, uniquingKeysWith: { first, _ in first }))))
        case .csv:
            Terminal.say(aggregates.map { CSV.field($0.name) }.joined(separator: ","))
            let fields = try aggregates.map { CSV.field(try Cell.exact($0.value, &json)) }
            Terminal.say(fields.joined(separator: ","))
        case .table:
            // One aggregate alone has no name, so that a script can take it as it is.
            let texts = aggregates.map { Cell.visible(Cell.text($0.value)) }
            if texts.count == 1 { return Terminal.say(texts[0]) }
            for (aggregate, text) in zip(aggregates, texts) {
                Terminal.say("\(aggregate.name): \(text)")
            }
        }
    }

    private func show(
        _ found: FrozenResults<DynamicObject>, _ type: ObjectSchema, _ links: LinkForm
    ) async throws {
        let found = try await found.evaluated()
        let shown = format == .table && rows > 0 ? Swift.min(rows, found.count) : found.count
        var writer = RowWriter(format, try type.chosen(columns), links)
        for object in found.prefix(shown) { try writer.write(object) }
        try writer.finish()
        if format == .table {
            let rest = shown < found.count ? " (the first \(shown) are shown: --rows)" : ""
            Terminal.note("\(found.count) objects\(rest)")
        }
    }
}

extension ObjectSchema {
    /// The properties with the names that are given with commas between them; nil for all.
    func chosen(_ names: String?) throws -> [Property] {
        guard let names else { return properties }
        return try names.split(separator: ",", omittingEmptySubsequences: false).map { part in
            let name = part.trimmingCharacters(in: .whitespaces)
            if let property = self[name] { return property }
            throw ToolError(
                .badInput,
                "'\(className)' has no property '\(name)'. It has: "
                    + properties.map(\.name).joined(separator: ", ") + ".")
        }
    }
}
