import Storage

/// How the group of an object is found, and what its users see as the key.
struct GroupKeying<Key: Hashable & Sendable>: Sendable {
    /// The names of the properties on the key path.
    let names: [String]
    let key: @Sendable (StoredValue) -> Key
}

extension GroupKeying where Key: PersistableScalar {
    init(_ keyPath: KeyPath<some ObjectBase, Key>) {
        let names = Tracer.names(of: keyPath)
        // What makes no value reads as the default of the property.
        let property = Key._scalarShape.accepts == nil ? nil : Tracer.path(of: keyPath).last
        let initial = property?.defaultValue as? Key
        self.init(names: names) { Key._from(StorableValue($0)) ?? initial ?? Key._zero() }
    }
}

extension GroupKeying {
    init<Wrapped: PersistableScalar>(_ keyPath: KeyPath<some ObjectBase, Key>)
    where Key == Wrapped? {
        self.init(names: Tracer.names(of: keyPath)) { Wrapped._from(StorableValue($0)) }
    }
}
