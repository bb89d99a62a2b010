import ArgumentParser
import Foundation
import RealmActors

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write the objects of a store as JSON lines, JSON or CSV.",
        discussion: """
            One class goes to standard output or to a file; without a class, each goes to a file \
            of its own in the folder that --output names. Links are primary keys. An object \
            without one that others link to has a number, "\(ImportedRows.field)", which is what \
            links to it are; of one class alone, each line has what it links to in full as well. \
            All of it is of one version, whatever is committed meanwhile.
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case jsonl, json, csv

        var output: OutputFormat {
            switch self {
            case .jsonl: .jsonl
            case .json: .json
            case .csv: .csv
            }
        }
    }

    @OptionGroup var options: StoreOptions

    @OptionGroup var past: PastOptions

    @Argument(help: "The class; all when none is named.") var className: String?

    @Option(name: .customLong("where"), help: "A query: only the objects that it finds.")
    var query: String?

    @Option(help: "The properties, with commas between them.") var columns: String?

    @Option(help: "How it is written.") var format = Format.jsonl

    @Option(name: .shortAndLong, help: "The file; the folder where no class is named.")
    var output: String?

    func validate() throws {
        if className == nil, output == nil {
            throw ValidationError("Name a class, or a folder with --output.")
        }
        if className == nil, query != nil || columns != nil {
            throw ValidationError("--where and --columns are for one class. Name it.")
        }
    }

    func run() async throws {
        try await options.withRealm { realm in
            let snapshot = try await past.snapshot(of: realm, label: "export")
            if let className {
                let type = try realm.requiredClass(className)
                let isComplete = query == nil && columns == nil
                let links = LinkForm(realm.schema, exporting: isComplete ? [className] : [])
                let count = try await write(type, of: snapshot, links, to: output)
                if output != nil { Self.note(count, type) }
                return
            }
            guard let output else { return }
            do {
                try FileManager.default.createDirectory(
                    atPath: output, withIntermediateDirectories: true)
            } catch {
                throw ToolError(.disk, "The folder \(output) cannot be made.")
            }
            // Embedded objects stand in their parents.
            let types = realm.schema.objectSchema.filter { !$0.isEmbedded }
            let links = LinkForm(realm.schema, exporting: Set(types.map(\.className)))
            for type in types {
                let path = try file(of: type, in: output)
                let count = try await write(type, of: snapshot, links, to: path)
                Self.note(count, type)
            }
        }
    }

    private static func note(_ count: Int, _ type: ObjectSchema) {
        Terminal.note("\(count) objects of \(Cell.visible(type.className))")
    }

    private func file(of type: ObjectSchema, in folder: String) throws -> String {
        if type.className.contains("/") {
            throw ToolError(
                .badInput,
                "No file can have the name of the class '\(type.className)'. Export it by itself.")
        }
        return "\(folder)/\(type.className).\(format.rawValue)"
    }

    private func write(
        _ type: ObjectSchema, of snapshot: Snapshot, _ links: LinkForm, to path: String?
    ) async throws -> Int {
        var found = try snapshot.dynamicObjects(type.className)
        if let query { found = try found.filter(query) }
        found = try await found.evaluated()
        let chosen = try type.chosen(columns)
        func writer(_ output: FileHandle) -> RowWriter {
            RowWriter(
                format.output, chosen, links,
                isNumbered: columns == nil && links.numbers(type.className), to: output)
        }
        guard let path else {
            try write(found, to: writer(.standardOutput), nil)
            return found.count
        }
        let file = try OutputFile(at: path)
        do {
            try write(found, to: writer(file.handle), ProgressLine(type.className))
            try file.finish()
        } catch {
            file.discard()
            throw error
        }
        return found.count
    }

    private func write(
        _ objects: FrozenResults<DynamicObject>, to writer: RowWriter, _ progress: ProgressLine?
    ) throws {
        var writer = writer
        for (index, object) in objects.enumerated() {
            try writer.write(object)
            if index % 1000 == 0 { progress?.show(Double(index) / Double(objects.count)) }
        }
        try writer.finish()
        progress?.show(1)
        progress?.end()
        // What could not be read was written as if it were empty.
        if let failure = objects.snapshot.failure { throw failure }
    }
}
