import RealmActors

/// How JSON says what a record links to: by primary keys, with embedded objects whole. Objects that
/// have no primary key are whole as well and, in an export, have the numbers of their rows, by
/// which an import identifies them: see `ImportedRows`.
struct LinkForm {
    /// The classes of the store.
    private let types: [String: ObjectSchema]
    /// Their properties by name.
    private let ordered: [String: [Property]]
    /// The classes without a primary key that others link to, whose objects an export numbers.
    private let numbered: Set<String>
    /// The classes of which the export has every object: a link is the number alone.
    private let complete: Set<String>

    /// For commands that only show objects.
    init(_ schema: Schema) {
        self.init(schema, numbered: [], complete: [])
    }

    /// For an export, which has all of these classes.
    init(_ schema: Schema, exporting complete: Set<String>) {
        let links = schema.objectSchema.flatMap(\.properties).filter { $0.type == .object }
        let linked = Set(links.compactMap(\.objectClassName))
        let numbered = schema.objectSchema.filter { type in
            linked.contains(type.className) && type.primaryKeyProperty == nil && !type.isEmbedded
                && type[ImportedRows.field] == nil
        }
        self.init(schema, numbered: Set(numbered.map(\.className)), complete: complete)
    }

    private init(_ schema: Schema, numbered: Set<String>, complete: Set<String>) {
        types = Dictionary(
            schema.objectSchema.map { ($0.className, $0) }, uniquingKeysWith: { first, _ in first })
        ordered = types.mapValues { $0.properties.sorted { $0.name < $1.name } }
        self.numbered = numbered
        self.complete = complete
    }

    /// A class by its name.
    subscript(className: String) -> ObjectSchema? { types[className] }

    /// The properties of a class, in the order of their names.
    func properties(_ className: String) -> [Property] { ordered[className] ?? [] }

    /// Whether objects of the class have numbers.
    func numbers(_ className: String) -> Bool { numbered.contains(className) }

    /// Whether a link to an object of the class is its number alone.
    func hasAll(_ className: String) -> Bool { complete.contains(className) }
}
