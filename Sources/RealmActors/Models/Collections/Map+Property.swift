import Storage

extension Map: PersistedValue where Key == String {
    /// A column of maps.
    public static var _shape: PropertyShape {
        Value._elementShape.contained(
            in: .map, name: "Map<String, \(Value._elementShape.name)>")
    }

    /// An empty map.
    public static func _initial() -> Map { Map() }

    /// The map of a row; allocates nothing.
    public static func _read(_ object: ObjectBase, _ column: Int) -> Map {
        Map(place: CollectionPlace(object, column))
    }

    /// Records the access; at every key is the value on which the key path may continue.
    public static func _traced(_ object: ObjectBase, _ column: Int) -> Map {
        let isLink = Value.self is any ObjectLink.Type
        let next = object._trace(column, into: isLink ? Value._elementShape.target : nil)
        let map = Map(next.map { ["": Value.ofTraced($0)] } ?? [:])
        map.place.trace(next ?? object)
        return map
    }

    /// Copies the entries.
    public static func _assigned(_ value: Map, over current: Map?) -> Map? {
        let entries = value.unmanagedEntries
        guard let current else { return Map(entries) }
        current.place.unmanaged?.contents = entries
        return current
    }

    /// Copies the entries into the map of a live object.
    public static func _store(
        _ value: Map, in object: ObjectBase, column: Int, changes: ChangePolicy
    ) {
        if value.place.isSame(as: object, column) { return }
        let entries = Array(value)
        object._withGraph(column, changes) { (graph) throws(RealmError) in
            try value.requireReadable()
            let managed = CollectionPlace<[String: Value]>.Managed(
                owner: object, column: ColumnID(column), target: graph)
            if changes == .differences {
                if managed.embeddedTarget == nil {
                    return try managed.writeDifferences(stored(entries, managed))
                }
                let present = Map(place: CollectionPlace(object, column))
                if present.elementsEqual(entries, by: { areSame($0, $1) }) { return }
            }
            try managed.replacing { () throws(RealmError) in try replaceAll(by: entries, managed) }
        }
    }

    /// True if the map is empty.
    public static func _insert(
        _ wrapper: UnsafeMutableRawPointer, _ row: RowTarget, _ column: Int
    ) -> Bool {
        // Unsafe: binding found a `Persisted<Map>` at this address of an object the caller holds.
        let wrapper = wrapper.assumingMemoryBound(to: Persisted<Map>.self)
        return wrapper.pointee.value == nil && wrapper.pointee.makeDefault == nil
    }

    /// Writes the entries; maps that were read before become managed.
    public static func _connect(
        _ wrapper: UnsafeMutableRawPointer, _ owner: ObjectBase, _ graph: GraphTarget
    ) throws(RealmError) {
        // Unsafe: binding found a `Persisted<Map>` at this address of `owner`.
        let wrapper = wrapper.assumingMemoryBound(to: Persisted<Map>.self)
        let map = wrapper.pointee.unmanagedValue()
        wrapper.pointee.value = nil
        let entries = Array(map)
        map.place.adopt(owner, graph.column, empty: [:])
        let managed = CollectionPlace<[String: Value]>.Managed(
            owner: owner, column: ColumnID(graph.column), target: graph)
        guard graph.graph.isUpdating else { return try insert(entries, managed) }
        if graph.changes == .differences {
            return try managed.writeDifferences(stored(entries, managed))
        }
        try managed.replacing { () throws(RealmError) in try replaceAll(by: entries, managed) }
    }

    private static func stored(
        _ entries: [Element], _ managed: CollectionPlace<[String: Value]>.Managed
    ) throws(RealmError) -> ColumnContents {
        var values: [StoredValue] = []
        for (key, value) in entries {
            try check(key)
            values.append(try managed.stored(value))
        }
        return .entries(keys: entries.map(\.key), values: values)
    }

    static func insert(
        _ entries: some Sequence<Element>, _ managed: CollectionPlace<[String: Value]>.Managed
    ) throws(RealmError) {
        for (key, value) in entries {
            try check(key)
            put(try managed.stored(value), under: key, managed)
        }
    }

    /// Replaces all entries.
    static func replaceAll(
        by entries: some Sequence<Element>, _ managed: CollectionPlace<[String: Value]>.Managed
    ) throws(RealmError) {
        // The new values may come from the map: lists and dictionaries within values are read
        // before the removal, and embedded objects can be stored only after it.
        var values: [(key: String, value: StoredValue)]?
        if Value.self == AnyRealmValue.self {
            var stored: [(key: String, value: StoredValue)] = []
            for (key, value) in entries {
                try check(key)
                stored.append((key, try managed.stored(value)))
            }
            values = stored
        }
        managed.tree.mapRemoveAll(managed.classID, managed.key, managed.column)
        guard let values else { return try insert(entries, managed) }
        for (key, value) in values { put(value, under: key, managed) }
    }

    private static func put(
        _ value: StoredValue, under key: String,
        _ managed: CollectionPlace<[String: Value]>.Managed
    ) {
        managed.tree.mapSet(value, forKey: key, managed.classID, managed.key, managed.column)
    }

    /// A map of the entries of a dictionary; null is empty.
    public static func _convert(
        _ any: Any, _ conversion: ValueConversion
    ) throws(RealmError) -> Map {
        if let map = any as? Map, !conversion.isManaged { return map }
        var result: [String: Value] = [:]
        let takesDefault = ValueConversion.takesDefault(Value.self)
        for (key, value) in try conversion.entries(any, expected: _shape.name) {
            try check(key)
            let given: Any = takesDefault && isNull(value) ? [String: Any]() : value
            result.updateValue(try Value._convert(given, conversion), forKey: key)
        }
        return Map(result)
    }

    /// Null: maps are not compared.
    public var _storable: StorableValue { StorableValue(.null) }
}
