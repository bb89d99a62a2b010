import Storage

// The identity of elements: values by their stored forms, objects by their rows.

extension CollectionElement {
    /// The stored form.
    public static func _sought(_ element: Self, in owner: ObjectBase) -> StorableValue? {
        _storedDirectly(element)
    }

    /// Whether both have the same stored form.
    public static func _areSame(_ a: Self, _ b: Self) -> Bool {
        guard let a = _storedDirectly(a), let b = _storedDirectly(b) else { return false }
        return a == b
    }

    /// Hashes the stored form of a value; nothing for an object, whose row may change.
    static func _hashValue(of element: Self, into hasher: inout Hasher) {
        switch _storedDirectly(element)?.value {
        case nil, .link, .object: break
        case .some(let value): hasher.combine(value)
        }
    }
}

extension CollectionElement where Self: ObjectBase {
    /// The link to the object, when it is a row of the owner's realm.
    public static func _sought(_ element: Self, in owner: ObjectBase) -> StorableValue? {
        element._isRow(of: owner) ? StorableValue(.link(element.__key)) : nil
    }

    /// Whether both represent the same row.
    public static func _areSame(_ a: Self, _ b: Self) -> Bool { a.isSameObject(as: b) }
}

extension Optional where Wrapped: CollectionElement & OptionalPersistable {
    /// The stored form of the value, or null.
    public static func _sought(_ element: Wrapped?, in owner: ObjectBase) -> StorableValue? {
        guard let element else { return StorableValue(.null) }
        return Wrapped._sought(element, in: owner)
    }

    /// Whether both are nil, or the same.
    public static func _areSame(_ a: Wrapped?, _ b: Wrapped?) -> Bool {
        guard let a, let b else { return a == nil && b == nil }
        return Wrapped._areSame(a, b)
    }
}

extension AnyRealmValue {
    /// The stored form; of an object only if it is a row of the owner's realm. Nil for collections:
    /// their objects may be unmanaged or of another realm.
    public static func _sought(
        _ element: AnyRealmValue, in owner: ObjectBase
    ) -> StorableValue? {
        if case .list = element { return nil }
        if case .dictionary = element { return nil }
        if case .object(let object) = element, !object._isRow(of: owner) { return nil }
        return _storedDirectly(element)
    }

    /// Whether both are the same value, or objects of the same row; collections by their elements.
    public static func _areSame(_ a: AnyRealmValue, _ b: AnyRealmValue) -> Bool {
        if case .object(let a) = a, case .object(let b) = b { return a.isSameObject(as: b) }
        if case .list(let a) = a, case .list(let b) = b { return a == b }
        if case .dictionary(let a) = a, case .dictionary(let b) = b { return a == b }
        guard let a = _storedDirectly(a), let b = _storedDirectly(b) else { return false }
        return a == b
    }
}

extension ObjectBase {
    /// Whether this represents an existing row of the store of `owner`.
    fileprivate final func _isRow(of owner: ObjectBase) -> Bool {
        guard __state == AccessorState.live || __state == AccessorState.frozen,
            let context = __context, let other = owner.__context
        else { return false }
        // The key of a deleted object may belong to another row now.
        return context.models.isOfSameStore(as: other.models) && !isInvalidated
            && !other.hasReused(keyOf: self)
    }
}
