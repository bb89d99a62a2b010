import Storage

/// How the group of an object is found, and what its users see as the key.
struct GroupKeying<Key: Hashable & Sendable>: Sendable {
    /// The names of the properties on the key path.
    let names: [String]
    let key: @Sendable (StoredValue) -> Key
}

extension GroupKeying where Key: PersistableScalar {
    init(_ keyPath: KeyPath<some ObjectBase, Key>) {
        self.init(names: Tracer.names(of: keyPath)) { Key._ofStored($0) }
    }
}

extension GroupKeying {
    init<Wrapped: PersistableScalar>(_ keyPath: KeyPath<some ObjectBase, Key>)
    where Key == Wrapped? {
        self.init(names: Tracer.names(of: keyPath)) { $0.isNull ? nil : Wrapped._ofStored($0) }
    }
}
