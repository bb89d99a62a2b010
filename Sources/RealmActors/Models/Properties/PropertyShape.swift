package import Storage

/// The properties of a column that follow from the Swift type. Opaque outside the library.
@_documentation(visibility: internal)
public struct PropertyShape: Sendable {
    /// Whether the property is stored, or derived from links that point here.
    package enum Role: Sendable { case stored, inverse }

    package var kind: ValueKind
    package var container: Container = .none
    package var isNullable = false
    /// The model that a link points to.
    package var target: ObjectBase.Type?
    package var role: Role = .stored
    /// Whether a property of the type has a value without declaring a default.
    package var hasInitialValue = true
    /// Whether a stored value has one of the type; nil where every one has.
    package var accepts: (@Sendable (StoredValue) -> Bool)?
    /// Which integers the type has.
    package var integers = IntegerRange.unstated
    /// Whether `primaryKey:` takes the type.
    package var canBePrimaryKey = false
    /// How messages name the type.
    package var name: String

    package init(kind: ValueKind, name: String) {
        self.kind = kind
        self.name = name
    }

    package var isEmbedded: Bool { target is EmbeddedObject.Type }

    /// Whether values are collections, which represent a place rather than its contents.
    var isCollection: Bool { container != .none || role == .inverse }

    /// The shape of an optional of the type.
    package var optional: PropertyShape {
        var shape = self
        shape.isNullable = true
        shape.hasInitialValue = true
        shape.name += "?"
        return shape
    }

    /// The shape of a container of the type.
    package func contained(in container: Container, name: String) -> PropertyShape {
        var shape = self
        shape.container = container
        shape.name = name
        shape.canBePrimaryKey = false
        return shape
    }
}
