import Storage
import Synchronization

/// A declared property of a model.
package struct DiscoveredProperty: Sendable {
    /// The name in Swift, in queries and in messages.
    package let name: String
    /// The name of its column.
    package let columnName: String
    /// The location of the wrapper in an instance.
    package let place: WrapperPlace
    package let type: any PersistedValue.Type
    package let shape: PropertyShape
    package let isPrimaryKey: Bool
    package let isIndexed: Bool
    package let isFullText: Bool
    /// For a ``LinkingObjects``: the property of the other class that links here.
    package let originProperty: String?
    /// The class that a link points to, or that links here.
    package let targetName: String?
    /// Whether the class declares a default.
    var hasDefault = false
}

/// The location of a property's wrapper in an instance.
package struct WrapperPlace: Sendable {
    /// The offset in the instance; negative for a dynamic object, which has no wrappers.
    let offset: Int
    /// The value of the wrapper's column field, for a property without a wrapper.
    let number: Int32

    init(offset: Int) {
        self.offset = offset
        number = -1
    }

    /// The place in a dynamic object.
    init(number: Int32) {
        offset = -1
        self.number = number
    }

    var isWrapped: Bool { offset >= 0 }
}

/// A model class found by reflection, the same in every realm.
package final class DiscoveredModel: Sendable {
    package let type: ObjectBase.Type
    package let name: String
    package let properties: [DiscoveredProperty]
    /// The problems of the class, independent of other classes.
    package let problems: [String]
    package let isEmbedded: Bool
    /// Whether instances have stored properties besides ``properties``.
    let hasOtherFields: Bool
    private let positions: SortedTable<String, Int>
    /// The class, if it declares indexes of several properties. Cast once: for a class without
    /// them, the runtime searches all conformances of the program.
    private let indexedType: (any IndexedModel.Type)?
    /// The indexes of several properties, for a class known only from a store.
    private let storedIndexes: [DeclaredIndex]

    private static let known = Mutex(SortedTable<UInt, DiscoveredModel>())

    /// The model of a class; reflection runs once per class and process.
    package static func of(_ type: ObjectBase.Type) -> DiscoveredModel {
        let identifier = UInt(bitPattern: ObjectIdentifier(type))
        if let model = known.withLock({ $0[identifier] }) { return model }
        let model = DiscoveredModel(type)
        return known.withLock { table in
            if let first = table[identifier] { return first }
            table[identifier] = model
            return model
        }
    }

    /// Whether a class was reflected already.
    static func isKnown(_ type: ObjectBase.Type) -> Bool {
        known.withLock { $0[UInt(bitPattern: ObjectIdentifier(type))] != nil }
    }

    private init(_ type: ObjectBase.Type) {
        self.type = type
        name = _typeName(type, qualified: false)
        let object = type.init()
        let mapping = type.propertiesMapping()
        let fields = FieldReflection.fields(of: type)
        properties = fields.persisted.map { Self.property($0, of: object, mapping) }
        hasOtherFields = fields.hasOthers
        isEmbedded = object is EmbeddedObject
        indexedType = type as? any IndexedModel.Type
        storedIndexes = []
        positions = Self.positions(properties)
        problems = Self.problems(object, fields, properties, mapping, name)
    }

    /// The model of a class known only from a store, for dynamic objects.
    init(
        dynamic name: String, _ properties: [DiscoveredProperty], isEmbedded: Bool,
        indexes: [DeclaredIndex] = []
    ) {
        storedIndexes = indexes
        indexedType = nil
        type = DynamicObject.self
        self.name = name
        self.properties = properties
        self.isEmbedded = isEmbedded
        problems = []
        hasOtherFields = false
        positions = Self.positions(properties)
    }

    private static func positions(_ properties: [DiscoveredProperty]) -> SortedTable<String, Int> {
        var positions = SortedTable<String, Int>()
        for (index, property) in properties.enumerated() where positions[property.name] == nil {
            positions[property.name] = index
        }
        return positions
    }

    /// The number of the property with this name.
    package func position(of name: String) -> Int? { positions[name] }

    /// The property with this name.
    package subscript(name: String) -> DiscoveredProperty? {
        positions[name].map { properties[$0] }
    }

    /// The indexes of several properties. Found later than the properties, which are needed to
    /// trace their key paths.
    var indexes: [DeclaredIndex] {
        indexedType?._declaredIndexes ?? storedIndexes
    }

    package var primaryKey: DiscoveredProperty? { properties.first { $0.isPrimaryKey } }

    private static func property(
        _ field: ReflectedField, of object: ObjectBase, _ mapping: [String: String]
    ) -> DiscoveredProperty {
        let wrapper = object._wrapper(at: field.offset, field.value)
        let shape = field.value._shape
        var origin: String?
        if shape.role == .inverse {
            origin = (wrapper.defaultValue as? any InverseProperty)?.originProperty
        }
        return DiscoveredProperty(
            name: field.name, columnName: mapping[field.name] ?? field.name,
            place: WrapperPlace(offset: field.offset), type: field.value, shape: shape,
            isPrimaryKey: wrapper.options.contains(.primaryKey),
            isIndexed: wrapper.options.contains(.indexed),
            isFullText: wrapper.options.contains(.fullText), originProperty: origin,
            targetName: shape.target.map { _typeName($0, qualified: false) },
            hasDefault: wrapper.hasDefault)
    }

    private static func problems(
        _ object: ObjectBase, _ fields: ReflectedFields, _ properties: [DiscoveredProperty],
        _ mapping: [String: String], _ name: String
    ) -> [String] {
        var problems: [String] = []
        if fields.persisted.isEmpty {
            let isStripped = !FieldReflection.mirrored(object).isEmpty
            problems.append(
                isStripped
                    ? "Class '\(name)' has no usable reflection metadata. "
                        + "Compile it without -disable-reflection-metadata."
                    : "Class '\(name)' has no persisted property. "
                        + "Mark at least one with @Persisted.")
        }
        let keys = properties.filter(\.isPrimaryKey)
        if keys.count > 1 {
            problems.append(
                "Class '\(name)' has \(keys.count) primary keys "
                    + "(\(keys.map { "'\($0.name)'" }.joined(separator: ", "))). Keep one.")
        }
        if let key = keys.first, object is EmbeddedObject {
            problems.append(
                "Embedded class '\(name)' cannot have a primary key ('\(key.name)'). Remove it.")
        }
        for lazy in fields.lazyNames {
            problems.append(
                "Property '\(name).\(lazy)' is lazy, which a model cannot have. "
                    + "Make it computed or give it an initial value.")
        }
        for key in mapping.keys.sorted() where !properties.contains(where: { $0.name == key }) {
            problems.append(
                "propertiesMapping() of class '\(name)' names '\(key)', which is not persisted.")
        }
        for property in properties where property.columnName.isEmpty {
            problems.append(
                "propertiesMapping() of class '\(name)' gives '\(property.name)' an empty name. "
                    + "Name its column, or leave the property out of the mapping.")
        }
        for (column, count) in Self.repeated(properties.map(\.columnName)) where !column.isEmpty {
            problems.append("Class '\(name)' has \(count) properties in column '\(column)'.")
        }
        return problems
    }

    /// The names that occur more than once, in their order, and how often they do.
    static func repeated(_ names: [String]) -> [(name: String, count: Int)] {
        var counts = SortedTable<String, Int>()
        for name in names { counts[name, default: 0] += 1 }
        return counts.entries.filter { $0.value > 1 }.map { ($0.key, $0.value) }
    }
}
