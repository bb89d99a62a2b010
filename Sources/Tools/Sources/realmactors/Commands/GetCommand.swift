import ArgumentParser
import RealmActors

struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Show one object, by its primary key.")

    @OptionGroup var options: StoreOptions

    @OptionGroup var past: PastOptions

    @Argument(help: "The class.") var className: String

    @Argument(help: "The primary key.") var primaryKey: String

    @Option(help: "The output format.") var format = ReportFormat.text

    func run() async throws {
        try await options.withRealm { realm in
            let type = try realm.requiredClass(className)
            let snapshot = try await past.snapshot(of: realm)
            let object = try snapshot.requiredObject(type, primaryKey)
            switch format {
            case .json:
                let links = LinkForm(realm.schema)
                var json = ValueJSON(links)
                let properties = links.properties(className)
                Terminal.say(JSONText.pretty(try json.text(object, properties)))
            case .text:
                let names = type.properties.map { Cell.visible($0.name) }
                let width = names.map(\.columns).max() ?? 0
                for (property, name) in zip(type.properties, names) {
                    let space = String(repeating: " ", count: width - name.columns)
                    let value = Cell.visible(Cell.text(try object[property.name]))
                    Terminal.say("\(Terminal.dim(name))\(space)  \(value)")
                }
            }
            // What cannot be read is shown as nothing.
            if let failure = snapshot.failure { throw failure }
        }
    }
}
