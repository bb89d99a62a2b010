import Storage

extension List {
    /// Adds an element at the end; an unmanaged object becomes managed with its list.
    public func append(_ element: Element) {
        if let box = place.unmanaged { return box.contents.append(element) }
        place.change(onlyAdding: true) { (managed) throws(RealmError) in
            let stored = try Element._stored(element, managed.target).value
            managed.tree.listAppend(
                contentsOf: [stored], managed.classID, managed.key, managed.column)
        }
    }

    /// Adds elements at the end.
    public func append(contentsOf elements: some Sequence<Element>) {
        let elements = Array(elements)
        if let box = place.unmanaged { return box.contents += elements }
        place.change(onlyAdding: true) { (managed) throws(RealmError) in
            try List.append(elements, managed)
        }
    }

    /// Adds an element before the one at `position`.
    public func insert(_ element: Element, at position: Int) {
        check(position, upTo: count)
        if let box = place.unmanaged { return box.contents.insert(element, at: position) }
        place.change(onlyAdding: true) { (managed) throws(RealmError) in
            let stored = try Element._stored(element, managed.target).value
            managed.tree.listInsert(
                stored, at: position, managed.classID, managed.key, managed.column)
        }
    }

    /// Replaces the element at `position`.
    public func replace(index position: Int, object element: Element) { set(element, at: position) }

    func set(_ element: Element, at position: Int) {
        check(position, upTo: count - 1)
        if let box = place.unmanaged { return box.contents[position] = element }
        place.change { (managed) throws(RealmError) in
            let stored = try Element._stored(element, managed.target).value
            managed.tree.listSet(
                stored, at: position, managed.classID, managed.key, managed.column)
        }
    }

    /// Removes the element at `position`. An embedded object goes with it.
    public func remove(at position: Int) {
        check(position, upTo: count - 1)
        if let box = place.unmanaged {
            box.contents.remove(at: position)
            return
        }
        place.change { (managed) throws(RealmError) in
            managed.tree.listRemove(at: position, managed.classID, managed.key, managed.column)
        }
    }

    /// Removes the first element, if there is one.
    public func removeFirst() { if count > 0 { remove(at: 0) } }

    /// Removes the last element, if there is one.
    public func removeLast() { if count > 0 { remove(at: count - 1) } }

    /// Removes every element.
    public func removeAll() {
        if let box = place.unmanaged { return box.contents.removeAll() }
        place.change { (managed) throws(RealmError) in
            managed.tree.listRemoveAll(managed.classID, managed.key, managed.column)
        }
    }

    /// Removes the elements that satisfy `predicate`.
    public func removeAll(where predicate: (Element) throws -> Bool) rethrows {
        for position in try indices.filter({ try predicate(self[$0]) }).reversed() {
            remove(at: position)
        }
    }

    /// Replaces the elements of a range.
    public func replaceSubrange(_ range: Range<Int>, with elements: some Sequence<Element>) {
        let elements = Array(elements)
        for position in range.reversed() { remove(at: position) }
        for (offset, element) in elements.enumerated() {
            insert(element, at: range.lowerBound + offset)
        }
    }

    /// Moves an element, so that it stands at `to` afterwards.
    public func move(from: Int, to: Int) {
        check(from, upTo: count - 1)
        check(to, upTo: count - 1)
        if let box = place.unmanaged {
            return box.contents.insert(box.contents.remove(at: from), at: to)
        }
        place.change { (managed) throws(RealmError) in
            managed.tree.listMove(
                from: from, to: to, managed.classID, managed.key, managed.column)
        }
    }

    /// Exchanges two elements. Streams report two modifications.
    public func swapAt(_ first: Int, _ second: Int) {
        check(first, upTo: count - 1)
        check(second, upTo: count - 1)
        if let box = place.unmanaged { return box.contents.swapAt(first, second) }
        place.change { (managed) throws(RealmError) in
            managed.tree.listSwap(
                first, second, managed.classID, managed.key, managed.column)
        }
    }

    private func check(_ position: Int, upTo bound: Int) {
        precondition(
            position >= 0 && position <= bound,
            "Index \(position) is out of bounds (must be less than \(bound + 1)).")
    }

    fileprivate static func append(
        _ elements: [Element], _ managed: CollectionPlace<[Element]>.Managed
    ) throws(RealmError) {
        var stored: [StoredValue] = []
        stored.reserveCapacity(elements.count)
        for element in elements {
            stored.append(try Element._stored(element, managed.target).value)
        }
        guard !stored.isEmpty else { return }
        managed.tree.listAppend(
            contentsOf: stored, managed.classID, managed.key, managed.column)
    }
}

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

    /// Records the access; the list has one element, on which the key path may go on.
    public static func _traced(_ object: ObjectBase, _ column: Int) -> List {
        let next = object._trace(column, into: Element.self as? ObjectBase.Type)
        return List((next as? Element).map { [$0] } ?? [])
    }

    /// Copies the elements.
    public static func _assign(_ value: List, to current: inout List?) {
        let elements = Array(value)
        if let current {
            current.place.unmanaged?.contents = elements
        } else {
            current = List(elements)
        }
    }

    /// Copies the elements into the list of a live object.
    public static func _store(
        _ value: List, in object: ObjectBase, column: Int, changes: ChangePolicy
    ) {
        if value.place.isSame(as: object, column) { return }
        let elements = Array(value)
        object._withGraph(column, changes) { (graph) throws(RealmError) in
            let managed = CollectionPlace<[Element]>.Managed(
                owner: object, column: ColumnID(column), target: graph)
            if changes == .differences {
                let present = List(place: CollectionPlace(object, column)).map {
                    Element._storedDirectly($0)
                }
                if present == elements.map({ Element._storedDirectly($0) }),
                    !present.contains(nil)
                {
                    return
                }
            }
            try managed.replacing { () throws(RealmError) in
                managed.tree.listRemoveAll(managed.classID, managed.key, managed.column)
                try append(elements, managed)
            }
        }
    }

    /// True when there is nothing to write.
    public static func _insert(
        _ wrapper: UnsafeMutableRawPointer, _ row: RowTarget, _ column: Int
    ) -> Bool {
        // Unsafe: binding found a `Persisted<List>` at this address of an object the caller holds.
        let wrapper = wrapper.assumingMemoryBound(to: Persisted<List>.self)
        if wrapper.pointee.value != nil { return false }
        return wrapper.pointee.makeDefault == nil
    }

    /// Writes the elements, and lets lists that were taken before follow.
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
        try managed.replacing { () throws(RealmError) in
            managed.tree.listRemoveAll(managed.classID, managed.key, managed.column)
            try append(elements, managed)
        }
    }

    /// A list of what an array holds; null is empty.
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

    /// Lists do not compare.
    public var _storable: StorableValue { StorableValue(.null) }
}
