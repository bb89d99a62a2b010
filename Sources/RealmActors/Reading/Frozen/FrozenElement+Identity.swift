import Storage

// The identity of frozen elements: values by their stored forms, objects by their rows.

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
        guard let context = source.owner.__context, object._isInStore(of: context.models),
            !context.hasReused(keyOf: object)
        else { return nil }
        return _frozenStorable
    }
}

extension FrozenValue {
    /// The stored form; of an object only if it is of the same store. Nil for collections: they may
    /// contain objects of another store, and their links to deleted objects read as nil.
    public func _frozenSought(in source: FrozenSource) -> StorableValue? {
        if isCollection { return nil }
        if case .object(let object) = self, object._frozenSought(in: source) == nil { return nil }
        return _frozenStorable
    }

    /// Whether it is a list or a dictionary.
    var isCollection: Bool {
        switch self {
        case .list, .dictionary: true
        case .none, .int, .bool, .float, .double, .string, .data, .date, .uuid, .object, .objectId,
            .decimal128:
            false
        }
    }

    /// Whether both are the same value; objects if they are the same row, in any version.
    func readsLike(_ other: FrozenValue) -> Bool {
        if case .object(let a) = self, case .object(let b) = other {
            return a.object.isSameObject(as: b.object)
        }
        if case .list(let a) = self, case .list(let b) = other {
            return a.elementsEqual(b) { $0.readsLike($1) }
        }
        if case .dictionary(let a) = self, case .dictionary(let b) = other {
            return a.count == b.count
                && a.allSatisfy { entry in b[entry.key]?.readsLike(entry.value) ?? false }
        }
        return self == other
    }
}
