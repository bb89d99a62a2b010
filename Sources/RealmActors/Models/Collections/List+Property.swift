import Storage

extension List: PersistedValue {
    /// A column of lists.
    public static var _shape: PropertyShape {
        Element._elementShape.contained(in: .list, name: "List<\(Element._elementShape.name)>")
    }

    /// An empty list.
    public static func _initial() -> List { List() }

    /// The list of a row; allocates nothing.
    public static func _read(_ object: ObjectBase, _ column: Int) -> List {
        List(place: CollectionPlace(object, column))
    }

    /// Records the access; at every position is the element on which the key path may continue.
    public static func _traced(_ object: ObjectBase, _ column: Int) -> List {
        let next = object._trace(column, into: Element.self as? ObjectBase.Type)
        let list = List((next as? Element).map { [$0] } ?? [])
        list.place.trace(next ?? object)
        return list
    }

    /// Copies the elements.
    public static func _assigned(_ value: List, over current: List?) -> List? {
        let elements = value.unmanagedElements
        guard let current else { return List(elements) }
        current.place.unmanaged?.contents = elements
        return current
    }

    /// Copies the elements into the list of a live object.
    public static func _store(
        _ value: List, in object: ObjectBase, column: Int, changes: ChangePolicy
    ) {
        if value.place.isSame(as: object, column) { return }
        let elements = Array(value)
        object._withGraph(column, changes) { (graph) throws(RealmError) in
            try value.requireReadable()
            let managed = CollectionPlace<[Element]>.Managed(
                owner: object, column: ColumnID(column), target: graph)
            if changes == .differences {
                if managed.embeddedTarget == nil {
                    return try managed.writeDifferences(.elements(stored(elements, managed)))
                }
                let present = List(place: CollectionPlace(object, column))
                if present.elementsEqual(elements, by: { Element._areSame($0, $1) }) { return }
            }
            try managed.replacing { () throws(RealmError) in try replaceAll(by: elements, managed) }
        }
    }

    /// True if the list is empty.
    public static func _insert(
        _ wrapper: UnsafeMutableRawPointer, _ row: RowTarget, _ column: Int
    ) -> Bool {
        // Unsafe: binding found a `Persisted<List>` at this address of an object the caller holds.
        let wrapper = wrapper.assumingMemoryBound(to: Persisted<List>.self)
        if wrapper.pointee.value != nil { return false }
        return wrapper.pointee.makeDefault == nil
    }

    /// Writes the elements; lists that were read before become managed.
    public static func _connect(
        _ wrapper: UnsafeMutableRawPointer, _ owner: ObjectBase, _ graph: GraphTarget
    ) throws(RealmError) {
        // Unsafe: binding found a `Persisted<List>` at this address of `owner`.
        let wrapper = wrapper.assumingMemoryBound(to: Persisted<List>.self)
        let list = wrapper.pointee.unmanagedValue()
        wrapper.pointee.value = nil
        let elements = Array(list)
        list.place.adopt(owner, graph.column, empty: [])
        let managed = CollectionPlace<[Element]>.Managed(
            owner: owner, column: ColumnID(graph.column), target: graph)
        guard graph.graph.isUpdating else { return try append(elements, managed) }
        if graph.changes == .differences {
            return try managed.writeDifferences(.elements(stored(elements, managed)))
        }
        try managed.replacing { () throws(RealmError) in try replaceAll(by: elements, managed) }
    }

    /// A list of the elements of an array; null is empty.
    public static func _convert(
        _ any: Any, _ conversion: ValueConversion
    ) throws(RealmError) -> List {
        if let list = any as? List, !conversion.isManaged { return list }
        let elements = try conversion.elements(any, expected: _shape.name)
        var result: [Element] = []
        result.reserveCapacity(elements.count)
        for element in elements { result.append(try Element._convert(element, conversion)) }
        return List(result)
    }

    /// Null: lists are not compared.
    public var _storable: StorableValue { StorableValue(.null) }
}
