import RealmActors

/// What the page loads of a store before it requests objects.
struct BrowseClasses: Encodable {
    struct Class: Encodable {
        let name: String
        let count: Int
        let isEmbedded: Bool
        let properties: [Column]
    }

    struct Column: Encodable {
        let name: String
        let type: String
        let isNumeric: Bool
        /// Whether rows can be sorted by it.
        let isOrdered: Bool
        let isKey: Bool
    }

    let store: String
    let version: UInt64
    let schemaVersion: UInt64
    let isWritable: Bool
    /// Why nothing newer is shown; nil while it is. A program may have migrated the store.
    let failure: String?
    let classes: [Class]

    init(_ server: BrowseServer) throws {
        let snapshot = server.realm.snapshot()
        store = server.store
        version = snapshot.version.rawValue
        schemaVersion = snapshot.storedSchema.version
        isWritable = server.isWritable
        failure = server.realm.failure?.description
        let counts = snapshot.browseCounts
        classes = snapshot.schema.objectSchema.map { type in
            Class(
                name: type.className, count: counts[type.className] ?? 0,
                isEmbedded: type.isEmbedded, properties: type.properties.map { Column($0) })
        }
        try snapshot.requireTrust()
    }
}

extension BrowseClasses.Column {
    init(_ property: Property) {
        name = property.name
        type =
            property.diagramType(
                of: property.objectClassName ?? property.type.rawValue, opening: "<", closing: ">")
        isNumeric =
            [.int, .float, .double, .decimal128].contains(property.type) && !property.isCollection
        isOrdered =
            !property.isCollection
            && ![.object, .any, .data, .linkingObjects].contains(property.type)
        isKey = property.isPrimaryKey
    }
}

extension Snapshot {
    /// Throws if nodes could not be read. Not if another program has migrated the store, which only
    /// ends following.
    func requireTrust() throws {
        guard let failure else { return }
        if case .schemaMismatch = failure { return }
        throw failure
    }

    /// How many objects each class has that has objects of its own.
    var browseCounts: [String: Int] {
        var counts: [String: Int] = [:]
        for type in schema.objectSchema where !type.isEmbedded {
            counts[type.className] = (try? dynamicObjects(type.className).count) ?? 0
        }
        return counts
    }
}
