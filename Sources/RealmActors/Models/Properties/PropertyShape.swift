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
    /// Whether the type accepts a stored value; nil if it accepts every one.
    package var accepts: (@Sendable (StoredValue) -> Bool)?
    /// The range of integers of the type.
    package var integers = IntegerRange.unstated
    /// Whether the type can be a primary key.
    package var canBePrimaryKey = false
    /// The name of the type in messages.
    package var name: String

    package init(kind: ValueKind, name: String) {
        self.kind = kind
        self.name = name
    }

    package var isEmbedded: Bool { target is EmbeddedObject.Type }

    /// Whether values are collections, which are references to their contents.
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
