import Storage

extension ObjectBase: OptionalPersistable {}
extension Object: SetElement {}

extension OptionalPersistable where Self: ObjectBase {
    /// A link to the class.
    public static var _optionalShape: PropertyShape {
        var shape = PropertyShape(kind: .link, name: "\(Self.self)?")
        shape.isNullable = true
        shape.target = Self.self
        return shape
    }

    /// An accessor for the object that the row links to.
    public static func _readOptional(_ object: ObjectBase, _ column: Int) -> Self? {
        guard let key = object.__cluster.link(column, object.__slot) else { return nil }
        return object._linked(Self.self, key, column)
    }

    /// An accessor on which the traced key path continues.
    public static func _tracedOptional(_ object: ObjectBase, _ column: Int) -> Self? {
        object._trace(column, into: Self.self).flatMap { $0 as? Self }
    }

    /// Links a live object, adding the target when it is unmanaged.
    public static func _storeOptional(
        _ value: Self?, in object: ObjectBase, column: Int, changes: ChangePolicy
    ) {
        object._withGraph(column, changes) { (graph) throws(RealmError) in
            if let value, Self.self is EmbeddedObject.Type, value._isSameRow(in: object, column) {
                return
            }
            let key = try value.map { (target) throws(RealmError) in
                try graph.link(to: target, as: Self.self)
            }
            object._set(key.map { .link($0) } ?? .null, column, changes)
        }
    }

    /// Links a new row when its target has a row.
    public static func _insertOptional(
        _ wrapper: UnsafeMutableRawPointer, _ row: RowTarget, _ column: Int
    ) -> Bool {
        // Unsafe: binding found a `Persisted<Self?>` at this address of an object the caller holds.
        // References to all classes have the same layout, so one type serves every model: looking
        // up the metadata of each would cost more than the link.
        let wrapper = wrapper.assumingMemoryBound(to: Persisted<ObjectBase?>.self)
        return row.insertLink(wrapper, column, Self.self)
    }

    /// Adds the target and links to it; without a target, removes the link of an updated row.
    public static func _connectOptional(
        _ wrapper: UnsafeMutableRawPointer, _ owner: ObjectBase, _ graph: GraphTarget
    ) throws(RealmError) {
        // Unsafe: binding found a `Persisted<Self?>` at this address of `owner`.
        let wrapper = wrapper.assumingMemoryBound(to: Persisted<Self?>.self)
        guard let target = wrapper.pointee.unmanagedValue() else {
            if graph.graph.isUpdating {
                graph.graph.set(.null, owner, graph.column, graph.changes)
            }
            return
        }
        // A live object must not retain linked objects: cycles would leak.
        wrapper.pointee.value = nil
        let key = try graph.link(to: target, as: Self.self)
        graph.graph.set(.link(key), owner, graph.column, graph.changes)
    }

    /// An object, or the values of a new one.
    public static func _convertOptional(
        _ any: Any, _ conversion: ValueConversion
    ) throws(RealmError) -> Self? {
        isNull(any) ? nil : try conversion.object(any, as: Self.self)
    }

    /// The link as the engine compares it.
    public static func _storableOptional(_ value: Self?) -> StorableValue {
        guard let value, value.__state != AccessorState.unmanaged else {
            return StorableValue(.null)
        }
        return StorableValue(.link(value.__key))
    }
}

extension RowTarget {
    // Unsafe: the wrapper is part of an object that the caller retains.
    /// Links the row to the object in a wrapper, if that has a row.
    fileprivate func insertLink(
        _ wrapper: UnsafeMutablePointer<Persisted<ObjectBase?>>, _ column: Int,
        _ type: ObjectBase.Type
    ) -> Bool {
        // Taken instead of copied: retaining an object that many rows link to would cost more than
        // the links.
        let taken = wrapper.pointee.value.take() ?? wrapper.pointee.freshDefault()
        guard let target = taken, Swift.type(of: target) == type,
            let key = graph.managedKey(of: target)
        else {
            wrapper.pointee.value = .some(taken)
            return taken == nil
        }
        writer.setLink(column, key)
        return true
    }
}

extension CollectionElement where Self: ObjectBase {
    /// Links to the class; never null.
    public static var _elementShape: PropertyShape {
        var shape = PropertyShape(kind: .link, name: "\(Self.self)")
        shape.target = Self.self
        return shape
    }

    /// An accessor for the linked object.
    public static func _element(_ stored: StorableValue, _ owner: ObjectBase) -> Self {
        _element(stored, at: ElementPlace(owner, -1))
    }

    /// An accessor for the linked object.
    public static func _element(_ stored: StorableValue, at place: ElementPlace) -> Self {
        // Deletions remove objects from lists and sets, so a missing row is an element of a deleted
        // list, or in an unreadable node, which the store has latched.
        guard case .link(let key) = stored.value else { return Self() }
        return place.owner._linked(Self.self, key, place.column)
            ?? place.owner._lost(Self.self, key, place.column) ?? Self()
    }

    /// Adds the object when it is unmanaged, and returns its link.
    public static func _stored(
        _ element: Self, _ graph: GraphTarget
    ) throws(RealmError) -> StorableValue {
        StorableValue(.link(try graph.link(to: element, as: Self.self)))
    }

    /// The link, when the object has a row.
    public static func _storedDirectly(_ element: Self) -> StorableValue? {
        guard element.__state != AccessorState.unmanaged else { return nil }
        return StorableValue(.link(element.__key))
    }

    /// An object, or the values of a new one.
    public static func _convert(
        _ any: Any, _ conversion: ValueConversion
    ) throws(RealmError) -> Self {
        try conversion.object(any, as: Self.self)
    }
}
