extension SortDescriptor {
    /// A criterion by key path.
    public init<Root: ObjectBase, Value>(keyPath: KeyPath<Root, Value>, ascending: Bool = true) {
        self.init(
            keyPath: Tracer.names(of: keyPath).joined(separator: "."), ascending: ascending)
    }
}
