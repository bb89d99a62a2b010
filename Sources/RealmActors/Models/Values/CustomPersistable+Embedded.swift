import Storage

/// A custom type that is stored as an embedded object, which each assignment replaces.
extension FailableCustomPersistable where PersistedType: EmbeddedObject {
    /// A link to the embedded object.
    public static var _scalarShape: PropertyShape {
        var shape = PersistedType._optionalShape
        shape.name = "\(Self.self) (\(PersistedType.self))"
        shape.hasInitialValue = Self(persistedValue: PersistedType()) != nil
        return shape
    }

    /// The value of an object with the defaults of its class.
    public static func _zero() -> Self { _required(PersistedType()) }

    /// Records the access and returns the value of an object with the defaults of its class, else
    /// the default of the property.
    public static func _traced(_ object: ObjectBase, _ column: Int) -> Self {
        object._trace(column, into: nil)
        return Self(persistedValue: PersistedType()) ?? object._tracedDefault(column) ?? _zero()
    }

    /// The value of the embedded object; nil if the type rejects it, or there is none.
    public static func _load(_ object: ObjectBase, _ column: Int) -> Self? {
        PersistedType._readOptional(object, column).flatMap { Self(persistedValue: $0) }
    }

    /// Null: a value has no stored form before its embedded object is added.
    public var _scalar: StorableValue { StorableValue(.null) }

    /// Nil: a stored link does not have the values.
    public static func _from(_ stored: StorableValue) -> Self? { nil }

    /// The value of an embedded object.
    public static func _converted(_ any: Any) -> Self? {
        (any as? PersistedType).flatMap { Self(persistedValue: $0) }
    }

    /// Never called: a row gets its embedded objects after it was created.
    public func _write(_ row: RowTarget, _ column: Int) {}

    /// Makes a value from a value of the type, or from the values of its embedded object.
    public static func _convert(
        _ any: Any, _ conversion: ValueConversion
    ) throws(RealmError) -> Self {
        if let value = any as? Self { return value }
        if isNull(any) { throw conversion.mismatch(any, expected: _scalarShape.name) }
        let object = try ValueConversion.unmanaged().object(any, as: PersistedType.self)
        guard let value = Self(persistedValue: object) else {
            throw conversion.mismatch(any, expected: _scalarShape.name)
        }
        return value
    }

    /// Replaces the embedded object of a live object.
    public static func _store(
        _ value: Self, in object: ObjectBase, column: Int, changes: ChangePolicy
    ) {
        PersistedType._storeOptional(
            value.persistableValue, in: object, column: column, changes: changes)
    }

    /// Replaces or removes the embedded object of a live object.
    public static func _storeOptional(
        _ value: Self?, in object: ObjectBase, column: Int, changes: ChangePolicy
    ) {
        PersistedType._storeOptional(
            value?.persistableValue, in: object, column: column, changes: changes)
    }

    /// False: the embedded object is added when its parent has a row.
    public static func _insert(
        _ wrapper: UnsafeMutableRawPointer, _ row: RowTarget, _ column: Int
    ) -> Bool { false }

    /// False when there is a value.
    public static func _insertOptional(
        _ wrapper: UnsafeMutableRawPointer, _ row: RowTarget, _ column: Int
    ) -> Bool {
        // Unsafe: binding found a `Persisted<Self?>` at this address of an object the caller holds.
        let wrapper = wrapper.assumingMemoryBound(to: Persisted<Self?>.self)
        return wrapper.pointee.unmanagedValue() == nil
    }

    /// Adds the embedded object.
    public static func _connect(
        _ wrapper: UnsafeMutableRawPointer, _ owner: ObjectBase, _ graph: GraphTarget
    ) throws(RealmError) {
        // Unsafe: binding found a `Persisted<Self>` at this address of `owner`.
        let wrapper = wrapper.assumingMemoryBound(to: Persisted<Self>.self)
        try connect(wrapper.pointee.unmanagedValue(), owner, graph)
    }

    /// Adds the embedded object, if there is one.
    public static func _connectOptional(
        _ wrapper: UnsafeMutableRawPointer, _ owner: ObjectBase, _ graph: GraphTarget
    ) throws(RealmError) {
        // Unsafe: binding found a `Persisted<Self?>` at this address of `owner`.
        let wrapper = wrapper.assumingMemoryBound(to: Persisted<Self?>.self)
        try connect(wrapper.pointee.unmanagedValue(), owner, graph)
    }

    private static func connect(
        _ value: Self?, _ owner: ObjectBase, _ graph: GraphTarget
    ) throws(RealmError) {
        let key = try value.map { (value) throws(RealmError) in
            try graph.link(to: value.persistableValue, as: PersistedType.self)
        }
        graph.graph.set(key.map { .link($0) } ?? .null, owner, graph.column, graph.changes)
    }

    /// Links to embedded objects; never null.
    public static var _elementShape: PropertyShape {
        var shape = PersistedType._elementShape
        shape.hasInitialValue = _scalarShape.hasInitialValue
        return shape
    }

    /// The value of an embedded object.
    public static func _element(_ stored: StorableValue, _ owner: ObjectBase) -> Self {
        Self(persistedValue: PersistedType._element(stored, owner)) ?? _zero()
    }

    /// The value of an embedded object; nil without one, and if the type rejects it.
    public static func _optionalElement(
        _ stored: StorableValue, at place: ElementPlace
    ) -> Self? {
        PersistedType._optionalElement(stored, at: place).flatMap { Self(persistedValue: $0) }
    }

    /// Adds the embedded object, and returns its link.
    public static func _stored(
        _ element: Self, _ graph: GraphTarget
    ) throws(RealmError) -> StorableValue {
        try PersistedType._stored(element.persistableValue, graph)
    }

    /// Nil: an embedded object must be added first.
    public static func _storedDirectly(_ element: Self) -> StorableValue? { nil }

    /// Whether both are equal.
    public static func _areSame(_ a: Self, _ b: Self) -> Bool { a == b }

    /// Nil: a value has no stored form without its embedded object.
    public func _frozenSought(in source: FrozenSource) -> StorableValue? { nil }

    /// The value of an embedded object.
    public static func _frozen(_ stored: StorableValue, _ source: FrozenSource) -> Self {
        _element(stored, source.owner)
    }
}
