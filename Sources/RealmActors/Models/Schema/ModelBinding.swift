package import Storage

/// A property of a model in one open realm.
package struct PropertyBinding: Sendable {
    package let name: String
    package let columnName: String
    /// The location of the wrapper in an instance.
    package let place: WrapperPlace
    package let type: any PersistedValue.Type
    package let shape: PropertyShape
    /// The column; for an inverse property the one of the other class that links here.
    package let column: ColumnID
    /// For an inverse property, the class that links here.
    package let origin: ClassID?
    /// The store's definition of ``column``.
    package let schema: ColumnSchema
    package let isPrimaryKey: Bool
    package let isIndexed: Bool
    package let isFullText: Bool
    /// The value of the wrapper's column field in a managed accessor: the column, or for an inverse
    /// property its number among ``ModelBinding/properties``, offset by the number of columns.
    let number: Int32
    /// For an inverse property, the name of the property of the other class that links here.
    let originProperty: String?
    /// The class that a link points to, or that links here.
    let targetName: String?
}

/// A model class in one open realm: its columns, and the factory of its accessors.
@usableFromInline
package final class ModelBinding: Sendable {
    package let type: ObjectBase.Type
    package let className: String
    package let classID: ClassID
    package let properties: [PropertyBinding]
    package let primaryKey: PropertyBinding?
    package let model: DiscoveredModel
    /// The columns of the class, in their order in the store.
    package let columns: [ColumnSchema]
    let isEmbedded: Bool
    /// Whether one accessor may be reused for several rows: instances have no other stored state.
    let canReuseAccessors: Bool
    /// The column of the primary key, -1 without one.
    let primaryKeyColumn: Int
    /// The indexed column of the primary key, for look-ups.
    let primaryKeyIndex: IndexedColumn?
    let bindings: [WrapperBinding]
    /// The stored properties, in the form for bulk inserts.
    let fields: [StoredField]
    private let byColumn: [Int]
    /// The names of ``properties``, and their meaning in a query.
    private let names: [String]
    private let queryProperties: [QueryProperty]
    private let indexedColumns: [IndexedColumn?]
    /// The indexes of several properties.
    let compositeIndexes: [CompositeIndex]

    /// The offset of a wrapper, and its column.
    struct WrapperBinding: Sendable {
        let offset: Int
        let number: Int32
    }

    /// A stored property: the offset of its wrapper, and its column.
    struct StoredField: Sendable {
        let type: any PersistedValue.Type
        let offset: Int
        let column: Int
    }

    /// Binds a discovered model to the schema of an open store.
    package init(_ model: DiscoveredModel, classID: ClassID, schema: StoreSchema) {
        self.model = model
        self.classID = classID
        type = model.type
        className = model.name
        isEmbedded = schema[classID].isEmbedded
        canReuseAccessors = !model.hasOtherFields
        columns = schema[classID].columns
        properties = model.properties.enumerated().map { index, property in
            Self.bind(property, index, classID, schema)
        }
        primaryKey = properties.first { $0.isPrimaryKey }
        primaryKeyColumn = primaryKey?.column.rawValue ?? -1
        primaryKeyIndex = primaryKey.map { IndexedColumn($0.column.rawValue, $0.schema) }
        let wrapped = properties.filter(\.place.isWrapped)
        bindings = wrapped.map { WrapperBinding(offset: $0.place.offset, number: $0.number) }
        fields = wrapped.filter { $0.shape.role == .stored }.map {
            StoredField(type: $0.type, offset: $0.place.offset, column: $0.column.rawValue)
        }
        var byColumn = [Int](repeating: -1, count: columns.count)
        for (index, property) in properties.enumerated() where property.shape.role == .stored {
            byColumn[property.column.rawValue] = index
        }
        self.byColumn = byColumn
        names = properties.map(\.name)
        queryProperties = properties.map { property in
            property.origin.map { .inverse(origin: $0, property.column) }
                ?? .column(property.column)
        }
        indexedColumns = properties.map { property in
            property.shape.role == .stored && property.schema.isFoundByIndex
                ? IndexedColumn(property.column.rawValue, property.schema) : nil
        }
        let properties = properties
        compositeIndexes = schema[classID].composites.compactMap { index in
            CompositeIndex(index, schema[classID]) { column in
                byColumn[column.rawValue] < 0 ? nil : properties[byColumn[column.rawValue]].name
            }
        }
    }

    /// Whether accessors are dynamic objects.
    var isDynamic: Bool { type == DynamicObject.self }

    /// The number of a property among ``properties``. Comparing a few short names is faster than
    /// hashing one.
    private func position(of name: String) -> Int? {
        names.count <= 16 ? names.firstIndex(of: name) : model.position(of: name)
    }

    private static func bind(
        _ property: DiscoveredProperty, _ index: Int, _ classID: ClassID, _ schema: StoreSchema
    ) -> PropertyBinding {
        var column: ColumnID?
        var origin: ClassID?
        // By the typed class, which has all inverse properties of a dynamic one.
        if property.shape.role == .inverse, let target = property.shape.target {
            let other = DiscoveredModel.of(target)
            origin = schema.classID(named: other.name)
            column = property.originProperty.flatMap { other[$0] }.flatMap { link in
                origin.flatMap { schema[$0].column(named: link.columnName) }
            }
        } else {
            column = schema[classID].column(named: property.columnName)
        }
        guard let column else {
            preconditionFailure("The merged schema lacks the column of '\(property.name)'.")
        }
        return PropertyBinding(
            name: property.name, columnName: property.columnName, place: property.place,
            type: property.type, shape: property.shape, column: column, origin: origin,
            schema: schema[origin ?? classID].columns[column.rawValue],
            isPrimaryKey: property.isPrimaryKey, isIndexed: property.isIndexed,
            isFullText: property.isFullText,
            number: Int32(
                property.shape.role == .inverse
                    ? schema[classID].columns.count + index : column.rawValue),
            originProperty: property.originProperty, targetName: property.targetName)
    }

    /// The property with this name.
    package func property(named name: String) -> PropertyBinding? {
        model.position(of: name).map { properties[$0] }
    }

    /// The meaning of a property name in a query.
    func queryProperty(named name: String) -> QueryProperty? {
        position(of: name).map { queryProperties[$0] }
    }

    /// The indexed column of a property, for look-ups; nil if no index has exactly its values.
    func indexedColumn(named name: String) -> IndexedColumn? {
        position(of: name).flatMap { indexedColumns[$0] }
    }

    /// The inverse property with this number in accessors; nil for the number of a column.
    func inverse(_ number: Int) -> PropertyBinding? {
        number < columns.count ? nil : properties[number - columns.count]
    }

    /// The property that is stored in `column`; nil for a column that the class no longer declares.
    package func property(_ column: ColumnID) -> PropertyBinding? {
        guard column.rawValue < byColumn.count, byColumn[column.rawValue] >= 0 else { return nil }
        return properties[byColumn[column.rawValue]]
    }
}

extension ModelBinding {
    /// A frozen accessor. Wrap it in ``Frozen`` before others get it.
    package func makeAccessor(
        frozen context: FrozenContext, _ key: RowKey, _ row: consuming RowHold
    ) -> ObjectBase {
        let object = makeAccessor(frozen: context, key)
        object._take(row)
        return object
    }

    /// A frozen accessor without a row yet.
    func makeAccessor(frozen context: FrozenContext, _ key: RowKey) -> ObjectBase {
        let object = type.init()
        object.__binding = .passUnretained(self)
        object.__context = context
        object.__key = key
        // The class's initializer may have set a value that was refused.
        object.__generation = 0
        object.__state = AccessorState.frozen
        bind(object)
        return object
    }

    /// A live accessor for a row that exists.
    package func makeAccessor(live context: LiveContext, _ key: RowKey) -> ObjectBase {
        let object = type.init()
        bind(object, live: context, key)
        return object
    }

    /// Makes an unmanaged object the live accessor of its row.
    func bind(_ object: ObjectBase, live context: LiveContext, _ key: RowKey) {
        object.__binding = .passUnretained(self)
        object.__context = context
        object.__key = key
        object.__generation = ~context.generation
        object.__current = context.current
        object.__observation = context.observation.map { .passUnretained($0) }
        object.__state = AccessorState.live
        bind(object)
    }

    /// Sets the column of every wrapper.
    private func bind(_ object: ObjectBase) {
        // Unsafe: the offsets are those that reflection found for this very class, and the column
        // is the first field of every `Persisted`.
        let base = Unmanaged.passUnretained(object).toOpaque()
        for binding in bindings {
            base.storeBytes(of: binding.number, toByteOffset: binding.offset, as: Int32.self)
        }
    }
}
