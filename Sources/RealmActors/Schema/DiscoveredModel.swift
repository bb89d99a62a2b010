import Storage
import Synchronization

/// A property of a model as its class declares it.
package struct DiscoveredProperty: Sendable {
    /// The name in Swift, in queries and in messages.
    package let name: String
    /// The name of its column.
    package let columnName: String
    /// Where the wrapper lies in an instance.
    package let offset: Int
    package let type: any PersistedValue.Type
    package let shape: PropertyShape
    package let isPrimaryKey: Bool
    package let isIndexed: Bool
    /// For a ``LinkingObjects``: the property of the other class that links here.
    package let originProperty: String?
}

/// What reflection says about a model class, the same in every realm.
package final class DiscoveredModel: Sendable {
    package let type: ObjectBase.Type
    package let name: String
    package let properties: [DiscoveredProperty]
    /// What is wrong with the class by itself.
    package let problems: [String]
    private let positions: [String: Int]

    private static let known = Mutex<[ObjectIdentifier: DiscoveredModel]>([:])

    /// The model of a class; reflection runs once per class and process.
    package static func of(_ type: ObjectBase.Type) -> DiscoveredModel {
        if let model = known.withLock({ $0[ObjectIdentifier(type)] }) { return model }
        let model = DiscoveredModel(type)
        return known.withLock { table in
            if let first = table[ObjectIdentifier(type)] { return first }
            table[ObjectIdentifier(type)] = model
            return model
        }
    }

    private init(_ type: ObjectBase.Type) {
        self.type = type
        name = _typeName(type, qualified: false)
        let object = type.init()
        let mapping = type.propertiesMapping()
        let fields = FieldReflection.fields(of: type)
        properties = fields.map { Self.property($0, of: object, mapping) }
        positions = Dictionary(
            properties.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        problems = Self.problems(object, fields, properties, mapping, name)
    }

    /// The number of the property with this name.
    package func position(of name: String) -> Int? { positions[name] }

    /// The property with this name.
    package subscript(name: String) -> DiscoveredProperty? {
        positions[name].map { properties[$0] }
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
            name: field.name, columnName: mapping[field.name] ?? field.name, offset: field.offset,
            type: field.value, shape: shape,
            isPrimaryKey: wrapper.options.contains(.primaryKey),
            isIndexed: wrapper.options.contains(.indexed), originProperty: origin)
    }

    private static func problems(
        _ object: ObjectBase, _ fields: [ReflectedField], _ properties: [DiscoveredProperty],
        _ mapping: [String: String], _ name: String
    ) -> [String] {
        var problems: [String] = []
        if fields.isEmpty {
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
        for lazy in FieldReflection.lazyNames(Swift.type(of: object)) {
            problems.append(
                "Property '\(name).\(lazy)' is lazy, which a model cannot have. "
                    + "Make it computed or give it an initial value.")
        }
        for key in mapping.keys.sorted() where !properties.contains(where: { $0.name == key }) {
            problems.append(
                "propertiesMapping() of class '\(name)' names '\(key)', which is not persisted.")
        }
        for (column, group) in Dictionary(grouping: properties, by: \.columnName).sorted(by: {
            $0.key < $1.key
        }) where group.count > 1 {
            problems.append("Class '\(name)' has \(group.count) properties in column '\(column)'.")
        }
        return problems
    }
}
