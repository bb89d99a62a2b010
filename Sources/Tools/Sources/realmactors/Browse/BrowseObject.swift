import RealmActors

/// One object, what it links to, and what links to it.
struct BrowseObject: Encodable {
    struct Field: Encodable {
        let name: String
        let type: String
        let isKey: Bool
        let value: BrowseValue
        /// The text by which a change would give it the value that it has; nil where none is
        /// possible, or the text is longer than anybody edits in a line.
        let exact: String?
    }

    /// The objects that lead here by one property.
    struct Inverse: Encodable {
        let className: String
        let property: String
        let count: Int
        let links: [BrowseLink]
    }

    /// How many links of one property are listed.
    private static let linkLimit = 100
    private static let editedBytes = 10_000

    let ref: String
    let className: String
    let title: String
    let version: UInt64
    let fields: [Field]
    let inverses: [Inverse]

    init(_ text: String, _ snapshot: Snapshot, isWritable: Bool) throws {
        guard let object = snapshot.resolve(try ReferenceText.reference(text)),
            let type = snapshot.schema[object.className]
        else { throw ToolError.objectWasDeleted }
        ref = text
        className = type.className
        title = BrowseLink(object)?.text ?? ""
        version = snapshot.version.rawValue
        var json = ValueJSON(LinkForm(snapshot.schema))
        fields = try type.properties.map { property in
            let column = BrowseClasses.Column(property)
            let value = try object[property.name]
            let exact = try isWritable ? Cell.exact(value, of: property, &json) : nil
            return Field(
                name: property.name, type: column.type, isKey: property.isPrimaryKey,
                value: BrowseValue(value, limit: Self.linkLimit, isWhole: true),
                exact: exact.flatMap { $0.utf8.count > Self.editedBytes ? nil : $0 })
        }
        inverses = try Self.inverses(object, type, snapshot)
        try snapshot.requireTrust()
    }

    private static func inverses(
        _ object: Frozen<DynamicObject>, _ type: ObjectSchema, _ snapshot: Snapshot
    ) throws -> [Inverse] {
        var found: [Inverse] = []
        for origin in snapshot.schema.objectSchema where !origin.isEmbedded {
            for property in origin.properties where property.objectClassName == type.className {
                // A query takes a name with a point for two.
                if property.name.contains(".") { continue }
                let path =
                    property.isMap
                    ? "ANY %K.@allValues" : (property.isCollection ? "ANY " : "") + "%K"
                let sources = try snapshot.dynamicObjects(origin.className)
                    .filter("\(path) == %@", property.name, object)
                if sources.isEmpty { continue }
                found.append(
                    Inverse(
                        className: origin.className, property: property.name, count: sources.count,
                        links: sources.prefix(linkLimit).compactMap { BrowseLink($0) }))
            }
        }
        return found
    }
}
