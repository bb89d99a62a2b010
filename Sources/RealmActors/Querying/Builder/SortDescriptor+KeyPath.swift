extension SortDescriptor {
    /// A criterion by key path. A key path to a property that is not persisted traps.
    public init<Root: ObjectBase, Value>(keyPath: KeyPath<Root, Value>, ascending: Bool = true) {
        self.init(
            keyPath: Tracer.names(of: keyPath).joined(separator: "."), ascending: ascending)
    }

    /// A string property in a collation.
    public init<Root: ObjectBase, Value: CollatableValue>(
        keyPath: KeyPath<Root, Value>, collation: Collation, ascending: Bool = true
    ) {
        self.init(
            keyPath: Tracer.names(of: keyPath).joined(separator: "."), collation: collation,
            ascending: ascending)
    }

    /// The distance of an embedded object's place from a point. Objects without a place count as
    /// farther than any other.
    public init<Root: ObjectBase, Value: GeoQueryable>(
        distanceFrom point: GeoPoint, on keyPath: KeyPath<Root, Value>, ascending: Bool = true
    ) {
        self.init(
            distanceFrom: point, on: Tracer.names(of: keyPath).joined(separator: "."),
            ascending: ascending)
    }
}
