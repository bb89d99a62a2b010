extension StoreSchema {
    /// The schema of a `.realm` file: its classes and properties by their stored names, in order.
    /// Realm's internal tables are left out.
    package convenience init(of file: RealmFile) throws(StorageError) {
        let numbers = file.classIDs
        var classes: [ClassSchema] = []
        for entry in file.classes { classes.append(try ClassSchema(entry, numbers)) }
        try Self.requireFit(classes)
        self.init(classes: classes, version: file.info.schemaVersion)
    }

    private static func requireFit(_ classes: [ClassSchema]) throws(StorageError) {
        if classes.count > Limits.classes {
            throw .invalid(
                "The file has \(classes.count) classes, and a realm takes \(Limits.classes).")
        }
        var names: Set<String> = []
        for entry in classes {
            if entry.name.isEmpty || !names.insert(entry.name).inserted {
                throw .invalid(
                    "The file has no name, or twice the same, for class '\(entry.name)'.")
            }
            if entry.columns.count > Limits.columns {
                throw .invalid(
                    "Class '\(entry.name)' of the file has \(entry.columns.count) properties, and a"
                        + " realm takes \(Limits.columns).")
            }
            var columns: Set<String> = []
            for column in entry.columns
            where column.name.isEmpty || !columns.insert(column.name).inserted {
                throw .invalid(
                    "The file has no name, or twice the same, for property"
                        + " '\(entry.name).\(column.name)'.")
            }
        }
    }
}

extension RealmFile {
    /// The numbers of its classes in ``StoreSchema/init(of:)``.
    var classIDs: [RealmFileTableKey: ClassID] {
        Dictionary(
            classes.enumerated().map { ($1.key, ClassID($0)) },
            uniquingKeysWith: { first, _ in first })
    }
}

extension ClassSchema {
    fileprivate init(
        _ entry: RealmFileClass, _ numbers: [RealmFileTableKey: ClassID]
    ) throws(StorageError) {
        var columns: [ColumnSchema] = []
        for property in entry.properties {
            let target = property.target.flatMap { numbers[$0] }
            if property.kind == .link, target == nil {
                throw .invalid(
                    "'\(entry.name).\(property.name)' links to a table of the file that is not a "
                        + "class.")
            }
            columns.append(ColumnSchema(property, target: target))
        }
        self.init(
            name: entry.name, isEmbedded: entry.kind == .embedded, columns: columns,
            primaryKey: entry.properties.firstIndex(where: \.isPrimaryKey).map { ColumnID($0) })
    }
}

extension ColumnSchema {
    /// The file does not record the integer range of the app's property.
    fileprivate init(_ property: RealmFileProperty, target: ClassID?) {
        let kind = property.kind.valueKind
        let mayBeIndexed =
            property.collection == nil && (kind.traits.isWorthIndexing || kind == .mixed)
        self.init(
            name: property.name, kind: kind, container: property.container,
            isNullable: property.isOptional,
            isIndexed: property.isPrimaryKey || property.isIndexed && mayBeIndexed,
            isFullText: property.isFullText && !property.isPrimaryKey
                && property.collection == nil && kind == .string,
            target: property.kind == .link ? target : nil)
    }
}

extension RealmFileProperty {
    fileprivate var container: Container {
        switch collection {
        case nil: .none
        case .list: .list
        case .set: .set
        case .dictionary: .map
        }
    }
}

extension RealmFileProperty.Kind {
    fileprivate var valueKind: ValueKind {
        switch self {
        case .int: .int
        case .bool: .bool
        case .string: .string
        case .data: .data
        case .mixed: .mixed
        case .date: .date
        case .float: .float
        case .double: .double
        case .decimal: .decimal
        case .link: .link
        case .objectID: .objectID
        case .uuid: .uuid
        }
    }
}
