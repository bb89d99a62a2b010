/// Marks a property of a ``Projection`` as a view of a property of its object.
///
///     @Projected(\Person.firstName) var name
///
/// Reading and writing pass through to the object. A read-only key path, such as one through an
/// optional link or a computed property, can only be read; writing traps.
@propertyWrapper
public struct Projected<Root: ObjectBase, Value> {
    let keyPath: KeyPath<Root, Value>

    /// A view of the property at the key path.
    public init(_ keyPath: KeyPath<Root, Value>) { self.keyPath = keyPath }

    /// Unavailable: the static subscript is used instead.
    @available(*, unavailable, message: "@Projected works in classes derived from Projection")
    public var wrappedValue: Value {
        get { preconditionFailure("@Projected works in classes derived from Projection.") }
        set { preconditionFailure("@Projected works in classes derived from Projection.") }
    }

    /// Reads and writes the property at the wrapper's key path.
    public static subscript<Owner: Projection<Root>>(
        _enclosingInstance projection: Owner,
        wrapped _: ReferenceWritableKeyPath<Owner, Value>,
        storage storage: ReferenceWritableKeyPath<Owner, Self>
    ) -> Value {
        get { projection.rootObject[keyPath: projection[keyPath: storage].keyPath] }
        set {
            let keyPath = projection[keyPath: storage].keyPath
            guard let writable = keyPath as? ReferenceWritableKeyPath<Root, Value> else {
                preconditionFailure(
                    "A property of '\(Owner.self)' projects '\(keyPath)', which is read-only. "
                        + "Set it on rootObject.")
            }
            projection.rootObject[keyPath: writable] = newValue
        }
    }
}

/// The key path of a ``Projected``, for reflection, which does not know its types.
protocol ProjectedWrapper {
    var anyKeyPath: AnyKeyPath { get }
}

extension Projected: ProjectedWrapper {
    var anyKeyPath: AnyKeyPath { keyPath }
}
