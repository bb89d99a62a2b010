import RealmActors

/// One object, what it links to, and what links to it.
struct BrowseObject: Encodable {
    struct Field: Encodable {
        let name: String
        let type: String
        let isKey: Bool
        let value: BrowseValue
    }

    /// The objects that lead here by one property.
    struct Inverse: Encodable {
        let className: String
        let property: String
        let count: Int
        let links: [BrowseLink]
    }

    /// How many links of one property are told.
    private static let linkLimit = 100

    let ref: String
    let className: String
    let title: String
    let version: UInt64
    let fields: [Field]
    let inverses: [Inverse]

    init(_ text: String, _ snapshot: Snapshot) throws {
        guard let object = snapshot.resolve(try ReferenceText.reference(text)),
            let type = snapshot.storedSchema.schema[object.className]
        else { throw ToolError.objectIsGone }
        ref = text
        className = type.className
        title = BrowseLink(object)?.text ?? ""
        version = snapshot.version.rawValue
        fields = try type.properties.map { property in
            let column = BrowseClasses.Column(property)
            return Field(
                name: property.name, type: column.type, isKey: property.isPrimaryKey,
                value: BrowseValue(try object[property.name], limit: Self.linkLimit))
        }
        inverses = try Self.inverses(object, type, snapshot)
        if let failure = snapshot.failure { throw failure }
    }

    private static func inverses(
        _ object: Frozen<DynamicObject>, _ type: ObjectSchema, _ snapshot: Snapshot
    ) throws -> [Inverse] {
        var found: [Inverse] = []
        for origin in snapshot.storedSchema.schema.objectSchema where !origin.isEmbedded {
            for property in origin.properties where property.objectClassName == type.className {
                let path =
                    property.isMap
                    ? "ANY \(property.name).@allValues"
                    : (property.isCollection ? "ANY " : "") + property.name
                let sources = try snapshot.dynamicObjects(origin.className)
                    .filter("\(path) == %@", object)
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
