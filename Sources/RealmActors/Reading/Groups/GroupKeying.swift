import Storage

/// The path to the values that define groups, and the conversion of these to keys.
struct GroupKeying<Key: Hashable & Sendable>: Sendable {
    /// The names of the properties on the key path.
    let names: [String]
    fileprivate let make: @Sendable ([StorableValue]) -> [Key]

    /// The keys for the stored values of groups.
    func keys(of values: [StoredValue]) -> [Key] { make(values.map { StorableValue($0) }) }
}

extension GroupKeying where Key: PersistableScalar {
    init(_ keyPath: KeyPath<some ObjectBase, Key>) {
        let names = Tracer.names(of: keyPath)
        // A stored value that the type rejects reads as the default of the property.
        let property = Key._scalarShape.accepts == nil ? nil : Tracer.path(of: keyPath).last
        let initial = property?.defaultValue as? Key ?? Key._zero()
        self.init(names: names, make: { Key._fromAll($0, orElse: initial) })
    }
}

extension GroupKeying {
    init<Wrapped: PersistableScalar>(_ keyPath: KeyPath<some ObjectBase, Key>)
    where Key == Wrapped? {
        self.init(names: Tracer.names(of: keyPath), make: { Wrapped._fromAll($0) })
    }
}
