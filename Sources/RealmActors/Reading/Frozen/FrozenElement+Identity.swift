import Storage

// What distinguishes frozen elements: values by what is stored of them, objects by their rows.

extension FrozenElement {
    /// The stored form.
    public func _frozenSought(in source: FrozenSource) -> StorableValue? { _frozenStorable }
}

extension Optional where Wrapped: FrozenElement {
    /// The stored form of the value, or null.
    public func _frozenSought(in source: FrozenSource) -> StorableValue? {
        guard let self else { return StorableValue(.null) }
        return self._frozenSought(in: source)
    }
}

extension Frozen {
    /// The link, when the object is of the same store.
    public func _frozenSought(in source: FrozenSource) -> StorableValue? {
        guard object.__context?.models.storeID == source.owner.__context?.models.storeID else {
            return nil
        }
        return _frozenStorable
    }
}

extension FrozenValue {
    /// The stored form; of an object only when it is of the same store.
    public func _frozenSought(in source: FrozenSource) -> StorableValue? {
        if case .object(let object) = self, object._frozenSought(in: source) == nil { return nil }
        return _frozenStorable
    }
}
