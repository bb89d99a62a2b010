/// The source of the values of a projected collection.
class ProjectedSource<Value> {
    var realm: Realm? { preconditionFailure("Every source overrides this.") }
    var isInvalidated: Bool { preconditionFailure("Every source overrides this.") }
    /// The collection of the frozen object of this moment; nil if it is unmanaged.
    var objects: FrozenSource? { preconditionFailure("Every source overrides this.") }
    /// What is shown of the objects.
    var property: any ElementProperty<Value> {
        preconditionFailure("Every source overrides this.")
    }
    var count: Int { preconditionFailure("Every source overrides this.") }
    func value(at position: Int) -> Value { preconditionFailure("Every source overrides this.") }
    func set(_ value: Value, at position: Int) {
        preconditionFailure("Every source overrides this.")
    }
    /// Throws the error of a node that could not be read.
    func requireReadable() throws(RealmError) {
        preconditionFailure("Every source overrides this.")
    }
}

/// A property of the objects of a collection.
final class ProjectedElements<Element: ObjectBase, Value>: ProjectedSource<Value> {
    private let elements: CollectionProjector<Element>
    private let keyPath: KeyPath<Element, Value>

    init(elements: CollectionProjector<Element>, keyPath: KeyPath<Element, Value>) {
        self.elements = elements
        self.keyPath = keyPath
    }

    override var realm: Realm? { elements.lifecycle().realm() }

    override var isInvalidated: Bool { elements.lifecycle().isInvalidated() }

    override var objects: FrozenSource? { elements.lifecycle().objects() }

    override var property: any ElementProperty<Value> {
        ElementKeyPath(keyPath: SharedKeyPath(keyPath))
    }

    override var count: Int { elements.count() }

    override func value(at position: Int) -> Value { elements.element(position)[keyPath: keyPath] }

    override func set(_ value: Value, at position: Int) {
        guard let writable = keyPath as? ReferenceWritableKeyPath<Element, Value> else {
            preconditionFailure(
                "A projected collection of '\(Element.self)' shows '\(keyPath)', which is "
                    + "read-only. Set it on the objects.")
        }
        elements.element(position)[keyPath: writable] = value
    }

    override func requireReadable() throws(RealmError) {
        try elements.lifecycle().owner()?._requireReadable()
    }
}
