import ArgumentParser
import Foundation
import RealmActors

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write the objects of a store as JSON lines, JSON or CSV.",
        discussion: """
            One class is written to standard output or to a file. Without a class, each is \
            written to a file of its own in the folder of --output. Links are written as primary \
            keys. A linked object without a primary key has a number, "\(ImportedRows.field)", \
            by which links refer to it; in an export of one class, each line also contains such \
            objects that it links to. All objects are of the same version.
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

    @Argument(help: "The class; by default all classes.") var className: String?

    @Option(name: .customLong("where"), help: "Export only the objects that match a query.")
    var query: String?

    @Option(help: "The properties, separated by commas.") var columns: String?

    @Option(help: "The output format.") var format = Format.jsonl

    @Option(name: .shortAndLong, help: "The file, or without a class the folder.")
    var output: String?

    func validate() throws {
        if className == nil, output == nil {
            throw ValidationError("Name a class, or a folder with --output.")
        }
        if output == "" { throw ValidationError("The path of --output is empty.") }
        if className == nil, query != nil || columns != nil {
            throw ValidationError("--where and --columns require a class.")
        }
    }

    func run() async throws {
        try await options.withRealm { realm in
            let snapshot = try await past.snapshot(of: realm, label: "export")
            if let className {
                let type = try realm.requiredClass(className)
                let isComplete = query == nil && columns == nil
                let links = LinkForm(realm.schema, exporting: isComplete ? [className] : [])
                let found = try await objects(type, of: snapshot)
                guard let output else {
                    try write(found, to: try writer(type, links, .standardOutput))
                    return
                }
                try await Interruption.noticed { interruption in
                    try write(found, type, links, toFile: output, interruption)
                }
                return
            }
            guard let output else { return }
            // Embedded objects stand in their parents.
            let types = realm.schema.objectSchema.filter { !$0.isEmbedded }
            let files = try types.map { (type: $0, path: try file(of: $0, in: output)) }
            do {
                try FileManager.default.createDirectory(
                    atPath: output, withIntermediateDirectories: true)
            } catch {
                throw ToolError(.disk, "The folder '\(output)' cannot be made.")
            }
            let links = LinkForm(realm.schema, exporting: Set(types.map(\.className)))
            try await Interruption.noticed { interruption in
                for (type, path) in files {
                    let found = try await objects(type, of: snapshot)
                    try write(found, type, links, toFile: path, interruption)
                }
            }
        }
    }

    private func file(of type: ObjectSchema, in folder: String) throws -> String {
        if type.className.contains("/") {
            throw ToolError(
                .badInput,
                "The name of class '\(type.className)' is not a valid file name. Export it alone.")
        }
        return "\(folder)/\(type.className).\(format.rawValue)"
    }

    private func objects(
        _ type: ObjectSchema, of snapshot: Snapshot
    ) async throws -> FrozenResults<DynamicObject> {
        var found = try snapshot.dynamicObjects(type.className)
        if let query { found = try found.filter(query) }
        return try await found.evaluated()
    }

    private func writer(
        _ type: ObjectSchema, _ links: LinkForm, _ output: FileHandle
    ) throws -> RowWriter {
        RowWriter(
            format.output, try type.chosen(columns), links,
            isNumbered: columns == nil && links.numbers(type.className), to: output)
    }

    private func write(
        _ objects: FrozenResults<DynamicObject>, _ type: ObjectSchema, _ links: LinkForm,
        toFile path: String, _ interruption: Interruption
    ) throws {
        let file = try OutputFile(at: path)
        do {
            try write(
                objects, to: try writer(type, links, file.handle),
                ProgressLine(Cell.visible(type.className)), interruption)
            try file.finish()
        } catch {
            file.discard()
            throw error
        }
        Terminal.note("\(objects.count) objects of \(Cell.visible(type.className))")
    }

    private func write(
        _ objects: FrozenResults<DynamicObject>, to writer: RowWriter,
        _ progress: ProgressLine? = nil, _ interruption: Interruption? = nil
    ) throws {
        var writer = writer
        let (start, total) = (ContinuousClock.now, objects.count)
        for (index, object) in objects.enumerated() {
            try interruption?.check()
            try writer.write(object)
            if index % 1000 == 0 {
                progress?.show(index, of: Double(index) / Double(total), since: start)
            }
        }
        try writer.finish()
        progress?.show(total, of: 1, since: start)
        progress?.end()
        // What could not be read was written as if it were empty.
        if let failure = objects.snapshot.failure { throw failure }
    }
}
