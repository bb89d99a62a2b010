import Storage

extension ValueConversion {
    /// Updates the embedded objects of a list or map in place, by position or by key, where they
    /// differ from the given values; false if the property has none.
    func updateEmbedded(
        _ any: Any, of property: DiscoveredProperty, in owner: ObjectBase
    ) throws(RealmError) -> Bool {
        guard let graph, let elements = EmbeddedElements(owner, property, graph) else {
            return false
        }
        if elements.isMap {
            try update(elements, try entries(any, expected: property.shape.name), graph)
        } else {
            let given = try self.elements(any, expected: property.shape.name)
            var values: [Any] = []
            for value in given { values.append(try settled(value, graph)) }
            try update(elements, values, graph)
        }
        return true
    }

    /// The new value of a property of a custom type that is stored as an embedded object, from
    /// values by name: an object with the given values and the remaining ones of the present
    /// object.
    func completed(
        _ any: Any, of property: DiscoveredProperty, in owner: ObjectBase
    ) throws(RealmError) -> Any {
        guard property.shape.target != nil, property.shape.container == .none else { return any }
        let type: Any.Type = (property.type as? any OptionalType.Type)?.wrapped ?? property.type
        guard type is any FailableCustomPersistable.Type,
            let given = unwrapped(any) as? [String: Any],
            let present = graph?.embedded(in: property.name, of: owner)
        else { return any }
        let whole = Swift.type(of: present).init()
        try ValueConversion.unmanaged().assign(present, to: whole)
        try ValueConversion.unmanaged().assign(given, to: whole)
        return whole
    }

    /// The new value of a property of a custom type that is stored as an embedded object, for nil:
    /// the value of an object with the defaults of its class, if the type accepts it.
    func defaulted(_ any: Any, of property: DiscoveredProperty) -> Any {
        guard isNull(any), property.shape.container == .none,
            Self.takesDefault(property.type, property.shape)
        else { return any }
        return [String: Any]()
    }

    /// Whether nil in a map becomes a default in the same way.
    static func takesDefault<Value: MapValue>(_ type: Value.Type) -> Bool {
        takesDefault(type, Value._elementShape)
    }

    private static func takesDefault(_ type: Any.Type, _ shape: PropertyShape) -> Bool {
        type is any FailableCustomPersistable.Type && shape.target != nil && shape.hasInitialValue
    }

    private func update(
        _ elements: EmbeddedElements, _ values: [Any], _ graph: ObjectGraph
    ) throws(RealmError) {
        let present = elements.rows
        for (value, row) in zip(values, present) { try update(row, of: elements, value) }
        if values.count == present.count { return }
        try elements.change { () throws(RealmError) in
            if values.count < present.count { elements.delete(Array(present[values.count...])) }
            for value in values.dropFirst(present.count) {
                elements.append(try newRow(value, elements.model.type, graph))
            }
        }
    }

    private func update(
        _ elements: EmbeddedElements, _ values: [String: Any], _ graph: ObjectGraph
    ) throws(RealmError) {
        let present = elements.entries
        let rows = Dictionary(mapKeys: present.map(\.key), present.map(\.row))
        let wanted = values.keys.asMapKeys
        var fresh: [(name: String, value: Any?)] = []
        for (name, any) in values.sorted(by: { $0.key < $1.key }) {
            let value = unwrapped(try settled(any, graph))
            let former = rows[.string(name)]
            if let value, let row = former ?? nil {
                try update(row, of: elements, value)
            } else if value != nil || former != .some(nil) {
                fresh.append((name, value))
            }
        }
        let removed = present.map(\.key).filter { !wanted.contains(.string($0)) }
        if fresh.isEmpty, removed.isEmpty { return }
        try elements.change { () throws(RealmError) in
            for (name, value) in fresh {
                try Map<String, Int>.check(name)
                let row = try value.map { (value) throws(RealmError) in
                    try newRow(value, elements.model.type, graph)
                }
                elements.set(row, forKey: name)
            }
            for name in removed { elements.remove(name) }
        }
    }

    private func update(
        _ row: RowKey, of elements: EmbeddedElements, _ value: Any
    ) throws(RealmError) {
        guard let values = unwrapped(value) else {
            throw mismatch(value, expected: elements.model.className)
        }
        try update(elements.object(row), inPlace: values)
    }

    /// A value that does not change with the elements: a copy of an embedded object.
    private func settled(_ any: Any, _ graph: ObjectGraph) throws(RealmError) -> Any {
        guard let source = unwrapped(any) as? EmbeddedObject,
            source.__state != AccessorState.unmanaged
        else { return any }
        if source._wasInvalidated { throw source._invalidated }
        return try graph.copy(source, update)
    }

    private func newRow<Element: ObjectBase>(
        _ value: Any, _ type: Element.Type, _ graph: ObjectGraph
    ) throws(RealmError) -> RowKey {
        try graph.link(to: object(value, as: type))
    }

    /// Updates an embedded object in place. An object that is given for it becomes an accessor of
    /// its row.
    func update(_ present: ObjectBase, inPlace values: Any) throws(RealmError) {
        try assign(values, to: present, changes: .differences)
        guard adopts, let graph, let model = present.__model, let given = values as? ObjectBase,
            given.__state == AccessorState.unmanaged, Swift.type(of: given) == model.type
        else { return }
        model.bind(given, live: graph.liveContext, present.__key)
        for property in model.properties where property.shape.role == .stored {
            given._leaveWrapper(property)
        }
    }
}

extension ObjectGraph {
    /// The embedded object of a property of a live object, whatever value the property makes of it.
    fileprivate func embedded(in property: String, of owner: ObjectBase) -> ObjectBase? {
        guard owner.__state == AccessorState.live, let model = owner.__model,
            let binding = model.property(named: property), binding.schema.container == .none,
            let target = binding.schema.target, tree.schema[target].isEmbedded,
            let place = tree.locate(model.classID, owner.__key),
            let key = place.cluster.link(binding.column.rawValue, place.slot)
        else { return nil }
        return models.binding(target, like: model)?.makeAccessor(live: liveContext, key)
    }
}

extension ObjectBase {
    /// Releases the values that a property linked to or contained before this object had a row; a
    /// collection that was read before becomes managed.
    final func _leaveWrapper(_ property: PropertyBinding) {
        guard property.shape.target != nil || property.shape.container != .none else { return }
        property.type._leave(_address(property.place.offset), self, property.column.rawValue)
    }
}

extension PersistedValue {
    fileprivate static func _leave(
        _ address: UnsafeMutableRawPointer, _ owner: ObjectBase, _ column: Int
    ) {
        // Unsafe: the caller gives the address of a `Persisted<Self>` that reflection found.
        let wrapper = address.assumingMemoryBound(to: Persisted<Self>.self)
        (wrapper.pointee.value as? any FollowingCollection)?.follow(owner, column)
        wrapper.pointee.value = nil
    }
}

/// A collection that becomes the property of a managed object whose row has its elements.
private protocol FollowingCollection {
    func follow(_ owner: ObjectBase, _ column: Int)
}

extension List: FollowingCollection {
    fileprivate func follow(_ owner: ObjectBase, _ column: Int) {
        place.adopt(owner, column, empty: [])
    }
}

extension MutableSet: FollowingCollection {
    fileprivate func follow(_ owner: ObjectBase, _ column: Int) {
        place.adopt(owner, column, empty: ElementSet())
    }
}

extension Map: FollowingCollection where Key == String {
    fileprivate func follow(_ owner: ObjectBase, _ column: Int) {
        place.adopt(owner, column, empty: [:])
    }
}
