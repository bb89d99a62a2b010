import Foundation
package import Storage

/// Describes the classes of a realm.
public struct Schema: Sendable, Hashable {
    /// The classes, in the order in which they were given.
    public let objectSchema: [ObjectSchema]

    package init(_ classes: [ObjectSchema]) { objectSchema = classes }

    /// The classes of a store.
    package init(_ stored: StoreSchema) {
        self.init(
            stored.classes.filter { !$0.isRemoved }.map { ObjectSchema($0, in: stored) })
    }

    /// The class with this name; nil when the realm has none.
    public subscript(className: String) -> ObjectSchema? {
        objectSchema.first { $0.className == className }
    }
}

extension Schema: CustomStringConvertible {
    /// The classes and their properties.
    public var description: String { objectSchema.map(\.description).joined(separator: "\n") }
}

/// Describes a class of a realm: its name, properties and indexes.
public struct ObjectSchema: Sendable, Hashable {
    /// The name of the class.
    public let className: String
    /// The stored properties, superclass first, in the order of declaration, which is that of an
    /// array of values for an object. ``LinkingObjects`` are not included, but are found by name.
    public let properties: [Property]
    /// The ``LinkingObjects``.
    private let inverses: [Property]
    /// The indexes of several properties, and the unique ones.
    public let indexes: [ObjectIndex]
    /// Whether objects of the class are embedded in a parent.
    public let isEmbedded: Bool

    /// The primary key; nil when the class has none.
    public var primaryKeyProperty: Property? { properties.first(where: \.isPrimaryKey) }

    /// The property with this name, which may be a ``LinkingObjects``; nil when the class has none.
    public subscript(propertyName: String) -> Property? {
        properties.first { $0.name == propertyName }
            ?? inverses.first { $0.name == propertyName }
    }

    /// A declared class.
    package init(_ model: DiscoveredModel) {
        className = model.name
        let declared = model.properties.map { Property($0) }
        properties = declared.filter { $0.type != .linkingObjects }
        inverses = declared.filter { $0.type == .linkingObjects }
        isEmbedded = model.isEmbedded
        indexes = model.indexes.map { ObjectIndex($0) }
    }

    /// A stored class, whether the program declares it or not.
    package init(_ stored: ClassSchema, in schema: StoreSchema) {
        className = stored.name
        isEmbedded = stored.isEmbedded
        inverses = []
        indexes = stored.composites.map {
            ObjectIndex(DeclaredIndex(stored.columns[$0.rawValue].parts, of: stored.columns))
        }
        properties = stored.columns.enumerated().compactMap { index, column in
            column.isRemoved
                ? nil
                : Property(
                    column, isPrimaryKey: stored.primaryKey?.rawValue == index,
                    target: column.target.map { schema[$0].name })
        }
    }
}

extension ObjectSchema: CustomStringConvertible {
    /// The class and its properties.
    public var description: String {
        let lines = ((properties + inverses).map(\.description) + indexes.map(\.description))
            .map { "\t\($0)\n" }.joined()
        return "\(className)\(isEmbedded ? " (embedded)" : "") {\n\(lines)}"
    }
}

/// A property of a class.
public struct Property: Sendable, Hashable {
    /// The name in Swift.
    public let name: String
    /// The name of its column: ``ObjectBase/propertiesMapping()`` may give another.
    public let columnName: String
    /// The type of the value, or of the elements of a collection.
    public let type: PropertyType
    /// Whether this is a ``List``.
    public let isArray: Bool
    /// Whether this is a ``MutableSet``.
    public let isSet: Bool
    /// Whether this is a ``Map``.
    public let isMap: Bool
    /// Whether a value, or each element of a collection, may be nil.
    public let isOptional: Bool
    /// Whether there is an index; a primary key has one too.
    public let isIndexed: Bool
    /// Whether there is an index of the words.
    public let isFullText: Bool
    /// Whether this is the primary key.
    public let isPrimaryKey: Bool
    /// The range of integers of the property's type; nil for other types.
    public let integerBounds: ClosedRange<Int64>?
    /// The class that a link points to, or links of ``LinkingObjects`` come from.
    public let objectClassName: String?
    /// For ``LinkingObjects``, the property of the other class that links here.
    public let linkOriginPropertyName: String?

    package init(_ property: DiscoveredProperty) {
        let shape = property.shape
        name = property.name
        columnName = property.columnName
        isArray = shape.container == .list
        isSet = shape.container == .set
        isMap = shape.container == .map
        isPrimaryKey = property.isPrimaryKey
        isIndexed = property.isIndexed || property.isPrimaryKey
        isFullText = property.isFullText
        linkOriginPropertyName = property.originProperty
        integerBounds = shape.kind == .int ? shape.integers.bounds : nil
        if shape.role == .inverse {
            type = .linkingObjects
            isOptional = false
        } else {
            type = PropertyType(shape.kind)
            isOptional =
                shape.kind == .link
                ? shape.container == .none || shape.container == .map : shape.isNullable
        }
        objectClassName = property.targetName
    }

    init(_ column: ColumnSchema, isPrimaryKey: Bool, target: String?) {
        name = column.name
        columnName = column.name
        type = PropertyType(column.kind)
        isArray = column.container == .list
        isSet = column.container == .set
        isMap = column.container == .map
        isOptional =
            column.kind == .link
            ? column.container == .none || column.container == .map : column.isNullable
        isIndexed = column.isIndexed
        isFullText = column.isFullText
        self.isPrimaryKey = isPrimaryKey
        objectClassName = target
        linkOriginPropertyName = nil
        integerBounds = column.kind == .int ? column.integers.bounds : nil
    }
}

extension Property: CustomStringConvertible {
    /// The name and the type.
    public var description: String {
        var text = objectClassName ?? "\(type)"
        if isOptional { text += "?" }
        if isArray { text = "List<\(text)>" }
        if isSet { text = "MutableSet<\(text)>" }
        if isMap { text = "Map<String, \(text)>" }
        if type == .linkingObjects { text = "LinkingObjects<\(text)>" }
        let mark =
            isPrimaryKey
            ? ", primary key" : isIndexed ? ", indexed" : isFullText ? ", full-text" : ""
        return "\(name): \(text)\(mark)"
    }
}

/// The type of a property's value, or of the elements of a collection.
public enum PropertyType: String, Sendable, Hashable, CaseIterable {
    /// Integers of every width.
    case int
    /// Booleans.
    case bool
    /// Numbers of single precision.
    case float
    /// Numbers of double precision.
    case double
    /// Strings.
    case string
    /// Bytes.
    case data
    /// Points in time.
    case date
    /// UUIDs.
    case uuid
    /// Object identifiers.
    case objectId
    /// Decimal numbers.
    case decimal128
    /// Links.
    case object
    /// Inverse links.
    case linkingObjects
    /// Values of any type.
    case any

    init(_ kind: ValueKind) {
        self =
            switch kind {
            case .bool: .bool
            case .int: .int
            case .float: .float
            case .double: .double
            case .string: .string
            case .data: .data
            case .date: .date
            case .uuid: .uuid
            case .link: .object
            case .mixed: .any
            case .objectID: .objectId
            case .decimal: .decimal128
            }
    }
}

extension ValueKind {
    /// The Swift type of single values; nil for links and values of any type.
    var scalarType: (any PersistableScalar.Type)? {
        switch self {
        case .bool: Bool.self
        case .int: Int.self
        case .float: Float.self
        case .double: Double.self
        case .string: String.self
        case .data: Data.self
        case .date: Date.self
        case .uuid: UUID.self
        case .objectID: ObjectId.self
        case .decimal: Decimal128.self
        case .link, .mixed: nil
        }
    }
}

extension ModelObject {
    /// The stored description of the object's class.
    public var objectSchema: ObjectSchema { ObjectSchema(_discovered) }

    /// The stored description of the class.
    public static func sharedSchema() -> ObjectSchema { ObjectSchema(DiscoveredModel.of(self)) }

    /// The name of the class.
    public static func className() -> String { DiscoveredModel.of(self).name }
}

extension ModelMap {
    /// The classes that the realm was opened with; without any, those that the store has.
    var schema: Schema {
        bindings.isEmpty
            ? Schema(storeSchema) : Schema(bindings.map { ObjectSchema($0.model) })
    }
}
