import Storage

/// Makes models of stored classes, for ``DynamicObject``.
enum DynamicModel {
    /// The model of a stored class, with the names of the typed one if the program declares it.
    /// Without `hasFixedKey`, the primary key can be assigned like other properties.
    static func make(
        _ id: ClassID, in schema: StoreSchema, typed: ModelBinding?, hasFixedKey: Bool = true
    ) -> DiscoveredModel {
        let stored = schema[id]
        let properties: [DiscoveredProperty]
        if let typed {
            properties = typed.properties.map { property in
                DiscoveredProperty(
                    name: property.name, columnName: property.columnName,
                    place: WrapperPlace(number: property.number),
                    type: property.shape.role == .inverse
                        ? LinkingObjects<DynamicObject>.self : type(of: property.schema),
                    shape: property.shape, isPrimaryKey: property.isPrimaryKey && hasFixedKey,
                    isIndexed: property.isIndexed, isFullText: property.isFullText,
                    originProperty: property.originProperty, targetName: property.targetName)
            }
        } else {
            properties = stored.columns.enumerated().compactMap { index, column in
                if column.isRemoved { return nil }
                let type = type(of: column)
                return DiscoveredProperty(
                    name: column.name, columnName: column.name,
                    place: WrapperPlace(number: Int32(index)), type: type, shape: type._shape,
                    isPrimaryKey: stored.primaryKey?.rawValue == index && hasFixedKey,
                    isIndexed: column.isIndexed, isFullText: column.isFullText,
                    originProperty: nil,
                    targetName: column.target.map { schema[$0].name })
            }
        }
        return DiscoveredModel(
            dynamic: stored.name, properties, isEmbedded: stored.isEmbedded,
            indexes: typed?.model.indexes
                ?? stored.composites.map {
                    DeclaredIndex(stored.columns[$0.rawValue].parts, of: stored.columns)
                })
    }

    /// The Swift type that reads and writes a column.
    private static func type(of column: ColumnSchema) -> any PersistedValue.Type {
        if let type = column.kind.scalarType { return scalar(type, column) }
        return column.kind == .link ? linkType(column.container) : mixedType(column.container)
    }

    private static func linkType(_ container: Container) -> any PersistedValue.Type {
        switch container {
        case .none: DynamicObject?.self
        case .list: List<DynamicObject>.self
        case .set: MutableSet<DynamicObject>.self
        case .map: Map<String, DynamicObject?>.self
        }
    }

    private static func mixedType(_ container: Container) -> any PersistedValue.Type {
        switch container {
        case .none: AnyRealmValue.self
        case .list: List<AnyRealmValue>.self
        case .set: MutableSet<AnyRealmValue>.self
        case .map: Map<String, AnyRealmValue>.self
        }
    }

    private static func scalar<Value: PersistableScalar>(
        _ type: Value.Type, _ column: ColumnSchema
    ) -> any PersistedValue.Type {
        switch (column.container, column.isNullable) {
        case (.none, false): Value.self
        case (.none, true): Value?.self
        case (.list, false): List<Value>.self
        case (.list, true): List<Value?>.self
        case (.set, false): MutableSet<Value>.self
        case (.set, true): MutableSet<Value?>.self
        case (.map, false): Map<String, Value>.self
        case (.map, true): Map<String, Value?>.self
        }
    }
}
