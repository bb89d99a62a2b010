/// What a projected collection shows of its objects: without the objects, and so without a version.
protocol ElementProperty<Value>: Sendable {
    associatedtype Value

    /// The names of the persisted properties that it shows; several paths if a computed property
    /// reads several properties.
    var paths: [[String]] { get }

    /// The values for the objects of a frozen list or set.
    func source(of objects: FrozenSource) -> ProjectedSource<Value>
}

/// A property by its key path.
struct ElementKeyPath<Element: ObjectBase, Value>: ElementProperty {
    let keyPath: SharedKeyPath<KeyPath<Element, Value>>

    var paths: [[String]] { ProjectionSchema.paths(Tracer.path(of: keyPath.path)) }

    func source(of objects: FrozenSource) -> ProjectedSource<Value> {
        ProjectedElements(elements: CollectionProjector(frozen: objects), keyPath: keyPath.path)
    }
}
