import Storage

extension MutableSet: PersistedValue {
    /// A column of sets.
    public static var _shape: PropertyShape {
        Element._elementShape.contained(
            in: .set, name: "MutableSet<\(Element._elementShape.name)>")
    }

    /// An empty set.
    public static func _initial() -> MutableSet { MutableSet() }

    /// The set of a row; allocates nothing.
    public static func _read(_ object: ObjectBase, _ column: Int) -> MutableSet {
        MutableSet(place: CollectionPlace(object, column))
    }

    /// Records the access; at every position is the element on which the key path may continue.
    public static func _traced(_ object: ObjectBase, _ column: Int) -> MutableSet {
        let next = object._trace(column, into: Element.self as? ObjectBase.Type)
        let set = MutableSet((next as? Element).map { [$0] } ?? [])
        set.place.trace(next ?? object)
        return set
    }

    /// Copies the elements.
    public static func _assigned(_ value: MutableSet, over current: MutableSet?) -> MutableSet? {
        let elements = Array(value)
        guard let current else { return MutableSet(elements) }
        current.place.unmanaged?.contents = ElementSet(elements)
        return current
    }

    /// Copies the elements into the set of a live object.
    public static func _store(
        _ value: MutableSet, in object: ObjectBase, column: Int, changes: ChangePolicy
    ) {
        if value.place.isSame(as: object, column) { return }
        let elements = Array(value)
        object._withGraph(column, changes) { (graph) throws(RealmError) in
            try value.requireReadable()
            let managed = CollectionPlace<ElementSet<Element>>.Managed(
                owner: object, column: ColumnID(column), target: graph)
            if changes == .differences {
                return try managed.writeDifferences(.elements(stored(elements, managed)))
            }
            managed.tree.setRemoveAll(managed.classID, managed.key, managed.column)
            try insert(elements, managed)
        }
    }

    /// True if the set is empty.
    public static func _insert(
        _ wrapper: UnsafeMutableRawPointer, _ row: RowTarget, _ column: Int
    ) -> Bool {
        // Unsafe: binding found a `Persisted<MutableSet>` at this address of an object the caller
        // holds.
        let wrapper = wrapper.assumingMemoryBound(to: Persisted<MutableSet>.self)
        return wrapper.pointee.value == nil && wrapper.pointee.makeDefault == nil
    }

    /// Writes the elements; sets that were read before become managed.
    public static func _connect(
        _ wrapper: UnsafeMutableRawPointer, _ owner: ObjectBase, _ graph: GraphTarget
    ) throws(RealmError) {
        // Unsafe: binding found a `Persisted<MutableSet>` at this address of `owner`.
        let wrapper = wrapper.assumingMemoryBound(to: Persisted<MutableSet>.self)
        let set = wrapper.pointee.unmanagedValue()
        wrapper.pointee.value = nil
        let elements = Array(set)
        set.place.adopt(owner, graph.column, empty: ElementSet())
        let managed = CollectionPlace<ElementSet<Element>>.Managed(
            owner: owner, column: ColumnID(graph.column), target: graph)
        if graph.graph.isUpdating, graph.changes == .differences {
            return try managed.writeDifferences(.elements(stored(elements, managed)))
        }
        if graph.graph.isUpdating {
            managed.tree.setRemoveAll(managed.classID, managed.key, managed.column)
        }
        try insert(elements, managed)
    }

    private static func stored(
        _ elements: [Element], _ managed: CollectionPlace<ElementSet<Element>>.Managed
    ) throws(RealmError) -> [StoredValue] {
        var stored: [StoredValue] = []
        for element in elements {
            stored.append(try managed.stored(element).checkedForSet())
        }
        return stored
    }

    static func insert(
        _ elements: [Element], _ managed: CollectionPlace<ElementSet<Element>>.Managed
    ) throws(RealmError) {
        for element in elements {
            let stored = try managed.stored(element).checkedForSet()
            _ = managed.tree.setInsert(stored, managed.classID, managed.key, managed.column)
        }
    }

    /// A set of the elements of an array; null is empty.
    public static func _convert(
        _ any: Any, _ conversion: ValueConversion
    ) throws(RealmError) -> MutableSet {
        if let set = any as? MutableSet, !conversion.isManaged { return set }
        var result: [Element] = []
        for element in try conversion.elements(any, expected: _shape.name) {
            result.append(try Element._convert(element, conversion))
        }
        return MutableSet(result)
    }

    /// Null: sets are not compared.
    public var _storable: StorableValue { StorableValue(.null) }
}
