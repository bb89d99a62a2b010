import ArgumentParser
import RealmActors

struct DeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete objects of a class.",
        discussion: """
            It shows what would go and asks. Objects that are found by a query are looked for \
            again in the transaction that deletes them.
            """)

    @OptionGroup var options: StoreOptions

    @Argument(help: "The class.") var className: String

    @Argument(help: "The primary key of one object.") var primaryKey: String?

    @Option(name: .customLong("where"), help: "The objects that a query finds.")
    var query: String?

    @Flag(help: "All objects of the class.") var all = false

    @Flag(name: .shortAndLong, help: "Do it without asking.") var yes = false

    func validate() throws {
        let given = [primaryKey != nil, query != nil, all].filter { $0 }.count
        if given != 1 { throw ValidationError("Give a primary key, --where or --all.") }
    }

    func run() async throws {
        try await options.withRealm(writing: true) { realm in
            let type = try realm.requiredClass(className)
            let (name, query) = (className, query)
            if let primaryKey {
                let object = try realm.snapshot().requiredObject(type, primaryKey)
                Terminal.note(try object.line(type))
                try Terminal.confirm("Delete \(name) \(primaryKey)?", isAnswered: yes)
                let reference = object.reference
                return try await realm.write(author: "realmactors delete") { tx in
                    if let object = tx.resolve(reference) { try tx.delete(object) }
                }
            }
            let found =
                try query.map { try realm.dynamicObjects(name).filter($0) }
                ?? realm.dynamicObjects(name)
            let count = try await found.evaluated().count
            for object in found.prefix(5) { Terminal.note(try object.line(type)) }
            try Terminal.confirm("Delete \(count) objects of \(name)?", isAnswered: yes)
            let deleted = try await realm.write(author: "realmactors delete") { tx in
                guard let query else {
                    let count = try tx.dynamicObjects(name).count
                    try tx.deleteAll(ofType: name)
                    return count
                }
                let found = try tx.dynamicObjects(name).filter(query)
                let count = found.count
                try tx.delete(found)
                return count
            }
            Terminal.note("\(deleted) objects deleted")
        }
    }
}

extension Frozen<DynamicObject> {
    /// The object in one line.
    fileprivate func line(_ type: ObjectSchema) throws -> String {
        let values = try type.properties.map { "\($0.name): \(Cell.text(try self[$0.name]))" }
        return "  " + Cell.visible(values.joined(separator: ", "))
    }
}
