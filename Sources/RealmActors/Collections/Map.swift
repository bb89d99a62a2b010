import Storage

/// The dictionary property of a model: values or optional links by string key.
///
///     @Persisted var notes: Map<String, AnyRealmValue>
///
/// A reference, as ``List`` is, with the same rules. A managed map iterates ascending by key. Keys
/// may not contain `.` nor begin with `$`. Deleting an object that is a value leaves its key with
/// nil.
public struct Map<Key: MapKey, Value: MapValue> {
    /// A key and its value.
    public typealias Element = (key: String, value: Value)

    let place: CollectionPlace<[String: Value]>

    init(place: CollectionPlace<[String: Value]>) { self.place = place }

    /// An empty unmanaged map.
    public init() { place = CollectionPlace([:]) }

    /// An unmanaged map of `entries`.
    public init(_ entries: [String: Value]) { place = CollectionPlace(entries) }
}

@available(*, unavailable)
extension Map: Sendable {}

/// The type of a map's keys: `String`.
public protocol MapKey: Hashable {}

extension String: MapKey {}

extension Map: Sequence where Key == String {
    /// The number of entries.
    public var count: Int { place.unmanaged?.contents.count ?? place.map?.count ?? 0 }

    /// Whether there is no entry.
    public var isEmpty: Bool { count == 0 }

    /// The keys; ascending in a managed map.
    public var keys: [String] { map(\.key) }

    /// The values, in the order of the keys.
    public var values: [Value] { map(\.value) }

    /// Iterates over the entries of this moment.
    public func makeIterator() -> IndexingIterator<[Element]> {
        if let box = place.unmanaged {
            return box.contents.map { ($0.key, $0.value) }.makeIterator()
        }
        guard let row = place.row, let view = place.map else { return [].makeIterator() }
        let keys = view.keys
        let values = view.values
        return (0..<view.count).compactMap { position -> Element? in
            guard case .string(let key) = keys[position] else { return nil }
            let place = ElementPlace(row.owner, row.column, position: position)
            return (key, Value._element(StorableValue(values[position]), at: place))
        }.makeIterator()
    }

    /// The value of a key. Assigning nil removes the entry. O(log n).
    public subscript(key: String) -> Value? {
        get {
            if let box = place.unmanaged { return box.contents[key] }
            guard let row = place.row, let view = place.map else { return nil }
            let (position, found) = view.index(of: key)
            guard found else { return nil }
            return Value._element(
                StorableValue(view.values[position]),
                at: ElementPlace(row.owner, row.column, position: position))
        }
        nonmutating set {
            if let newValue {
                updateValue(newValue, forKey: key)
            } else {
                removeObject(for: key)
            }
        }
    }
}

extension Map where Key == String {
    /// Sets the value of a key.
    public func updateValue(_ value: Value, forKey key: String) {
        if let box = place.unmanaged { return box.contents[key] = value }
        place.change { (managed) throws(RealmError) in
            try Self.check(key)
            let stored = try Value._stored(value, managed.target).value
            managed.tree.mapSet(
                stored, forKey: key, managed.classID, managed.key, managed.column)
        }
    }

    /// Removes the entry of a key, if there is one.
    public func removeObject(for key: String) {
        if let box = place.unmanaged {
            box.contents[key] = nil
            return
        }
        place.change { (managed) throws(RealmError) in
            _ = managed.tree.mapRemove(
                forKey: key, managed.classID, managed.key, managed.column)
        }
    }

    /// Removes every entry.
    public func removeAll() {
        if let box = place.unmanaged { return box.contents.removeAll() }
        place.change { (managed) throws(RealmError) in
            managed.tree.mapRemoveAll(managed.classID, managed.key, managed.column)
        }
    }

    /// Sets the values of another dictionary's keys; `combine` decides where both have one.
    public func merge(
        _ other: [String: Value], uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows {
        for (key, value) in other {
            if let present = self[key] {
                updateValue(try combine(present, value), forKey: key)
            } else {
                updateValue(value, forKey: key)
            }
        }
    }

    static func check(_ key: String) throws(RealmError) {
        if key.hasPrefix("$") || key.contains(".") {
            throw .invalidValue(
                "The map key '\(key)' contains '.' or begins with '$'. Use another.")
        }
    }

    fileprivate var dictionary: [String: Value] {
        Dictionary(map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
}

/// A map whose value type is not known.
protocol EntryCollection {
    var entries: [String: Any] { get }
}

extension Map: EntryCollection where Key == String {
    var entries: [String: Any] { dictionary.mapValues { $0 } }
}

extension Map: ExpressibleByDictionaryLiteral where Key == String {
    /// An unmanaged map of the entries.
    public init(dictionaryLiteral entries: (String, Value)...) {
        self.init(Dictionary(entries, uniquingKeysWith: { _, last in last }))
    }
}

extension Map: CustomStringConvertible where Key == String {
    /// The entries, as a dictionary shows them.
    public var description: String { "Map<String, \(Value.self)> \(dictionary)" }
}

extension Map: Equatable where Key == String, Value: Equatable {
    /// Whether both have the same entries.
    public static func == (a: Map, b: Map) -> Bool { a.dictionary == b.dictionary }
}

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

    /// Records the access.
    public static func _traced(_ object: ObjectBase, _ column: Int) -> Map {
        object._trace(column, into: nil)
        return Map()
    }

    /// Copies the entries.
    public static func _assign(_ value: Map, to current: inout Map?) {
        let entries = value.dictionary
        if let current {
            current.place.unmanaged?.contents = entries
        } else {
            current = Map(entries)
        }
    }

    /// Copies the entries into the map of a live object.
    public static func _store(
        _ value: Map, in object: ObjectBase, column: Int, changes: ChangePolicy
    ) {
        if value.place.isSame(as: object, column) { return }
        let entries = value.dictionary
        object._withGraph(column, changes) { (graph) throws(RealmError) in
            let managed = CollectionPlace<[String: Value]>.Managed(
                owner: object, column: ColumnID(column), target: graph)
            if changes == .differences {
                let present = Map(place: CollectionPlace(object, column)).dictionary
                if present.mapValues({ Value._storedDirectly($0) })
                    == entries.mapValues({ Value._storedDirectly($0) })
                {
                    return
                }
            }
            try managed.replacing { () throws(RealmError) in
                managed.tree.mapRemoveAll(managed.classID, managed.key, managed.column)
                try insert(entries, managed)
            }
        }
    }

    /// True when there is nothing to write.
    public static func _insert(
        _ wrapper: UnsafeMutableRawPointer, _ row: RowTarget, _ column: Int
    ) -> Bool {
        // Unsafe: binding found a `Persisted<Map>` at this address of an object the caller holds.
        let wrapper = wrapper.assumingMemoryBound(to: Persisted<Map>.self)
        return wrapper.pointee.value == nil && wrapper.pointee.makeDefault == nil
    }

    /// Writes the entries, and lets maps that were taken before follow.
    public static func _connect(
        _ wrapper: UnsafeMutableRawPointer, _ owner: ObjectBase, _ graph: GraphTarget
    ) throws(RealmError) {
        // Unsafe: binding found a `Persisted<Map>` at this address of `owner`.
        let wrapper = wrapper.assumingMemoryBound(to: Persisted<Map>.self)
        let map = wrapper.pointee.unmanagedValue()
        wrapper.pointee.value = nil
        let entries = map.dictionary
        map.place.adopt(owner, graph.column, empty: [:])
        let managed = CollectionPlace<[String: Value]>.Managed(
            owner: owner, column: ColumnID(graph.column), target: graph)
        guard graph.graph.isUpdating else { return try insert(entries, managed) }
        try managed.replacing { () throws(RealmError) in
            managed.tree.mapRemoveAll(managed.classID, managed.key, managed.column)
            try insert(entries, managed)
        }
    }

    private static func insert(
        _ entries: [String: Value], _ managed: CollectionPlace<[String: Value]>.Managed
    ) throws(RealmError) {
        for (key, value) in entries {
            try check(key)
            let stored = try Value._stored(value, managed.target).value
            managed.tree.mapSet(
                stored, forKey: key, managed.classID, managed.key, managed.column)
        }
    }

    /// A map of what a dictionary holds; null is empty.
    public static func _convert(
        _ any: Any, _ conversion: ValueConversion
    ) throws(RealmError) -> Map {
        if let map = any as? Map, !conversion.isManaged { return map }
        var result: [String: Value] = [:]
        for (key, value) in try conversion.entries(any, expected: _shape.name) {
            try check(key)
            result.updateValue(try Value._convert(value, conversion), forKey: key)
        }
        return Map(result)
    }

    /// Maps do not compare.
    public var _storable: StorableValue { StorableValue(.null) }
}
