import ArgumentParser
import RealmActors

struct SchemaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Show the schema of a store.")

    enum Form: String, ExpressibleByArgument, CaseIterable {
        case text, swift, json, mermaid, svg
    }

    @OptionGroup var options: StoreOptions

    @Argument(help: "The classes to show; by default all.")
    var classes: [String] = []

    @Option(
        help: """
            The output format: text, models in Swift, JSON, the source of a Mermaid diagram, or \
            a diagram in SVG.
            """)
    var format = Form.text

    func run() async throws {
        let stored = try await options.withRealm { $0.snapshot().storedSchema }
        let shown =
            try classes.isEmpty
            ? stored.schema.objectSchema
            : classes.map { name in
                guard let type = stored.schema[name] else {
                    throw ToolError(.notFound, "The store has no class '\(name)'.")
                }
                return type
            }
        switch format {
        case .text:
            Terminal.say("schema version \(stored.version)")
            for type in shown { Terminal.say(Cell.visibleLines("\n\(type)")) }
        case .swift: Terminal.say(SwiftModels(shown, of: stored).text)
        case .json:
            Terminal.say(
                try JSONText.text(SchemaDescription(stored.version, shown), isPretty: true))
        case .mermaid: Terminal.say(MermaidDiagram(shown).text)
        case .svg: Terminal.say(SVGDiagram(shown).text)
        }
    }
}

/// A schema in JSON.
private struct SchemaDescription: Encodable {
    struct Class: Encodable {
        let name: String
        let isEmbedded: Bool
        let properties: [Column]
        let indexes: [Index]
    }

    struct Index: Encodable {
        let properties: [String]
        let descending: [String]
        /// Those whose texts are in the order of people.
        let collated: [String]
        let isUnique: Bool
        let isOfPlaces: Bool
    }

    struct Column: Encodable {
        let name: String
        let type: String
        let container: String?
        let isOptional: Bool
        let isIndexed: Bool
        let isFullText: Bool
        let isPrimaryKey: Bool
        let target: String?
    }

    let schemaVersion: UInt64
    let classes: [Class]

    init(_ version: UInt64, _ types: [ObjectSchema]) {
        schemaVersion = version
        classes = types.map { type in
            Class(
                name: type.className, isEmbedded: type.isEmbedded,
                properties: type.properties.map { property in
                    Column(
                        name: property.name, type: property.type.rawValue,
                        container: property.containerName, isOptional: property.isOptional,
                        isIndexed: property.isIndexed, isFullText: property.isFullText,
                        isPrimaryKey: property.isPrimaryKey, target: property.objectClassName)
                },
                indexes: type.indexes.map { index in
                    Index(
                        properties: index.parts.map(\.name),
                        descending: index.parts.filter { !$0.ascending }.map(\.name),
                        collated: index.parts.filter { $0.collation != nil }.map(\.name),
                        isUnique: index.isUnique, isOfPlaces: index.isOfPlaces)
                })
        }
    }
}

extension Property {
    /// What kind of collection it is; nil for a single value.
    fileprivate var containerName: String? {
        isArray ? "list" : isSet ? "set" : isMap ? "map" : nil
    }
}
