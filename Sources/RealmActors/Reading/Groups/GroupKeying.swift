import Storage

/// How the group of an object is found, and what its users see as the key.
struct GroupKeying<Key: Hashable & Sendable>: Sendable {
    /// The names of the properties on the key path.
    let names: [String]
    /// What users see of the values of groups: of many at a time, since each call of unspecialized
    /// code looks its types up.
    let keys: @Sendable ([StoredValue]) -> [Key]
}

extension GroupKeying where Key: PersistableScalar {
    init(_ keyPath: KeyPath<some ObjectBase, Key>) {
        let names = Tracer.names(of: keyPath)
        // What makes no value reads as the default of the property.
        let property = Key._scalarShape.accepts == nil ? nil : Tracer.path(of: keyPath).last
        let initial = property?.defaultValue as? Key ?? Key._zero()
        self.init(names: names) { values in
            var keys: [Key] = []
            keys.reserveCapacity(values.count)
            for value in values { keys.append(Key._from(StorableValue(value)) ?? initial) }
            return keys
        }
    }
}

extension GroupKeying {
    init<Wrapped: PersistableScalar>(_ keyPath: KeyPath<some ObjectBase, Key>)
    where Key == Wrapped? {
        self.init(names: Tracer.names(of: keyPath)) { values in
            var keys: [Wrapped?] = []
            keys.reserveCapacity(values.count)
            for value in values { keys.append(Wrapped._from(StorableValue(value))) }
            return keys
        }
    }
}
