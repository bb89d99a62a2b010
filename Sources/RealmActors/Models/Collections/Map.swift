import Storage

/// The dictionary property of a model: values or optional links by string key.
///
///     @Persisted var notes: Map<String, AnyRealmValue>
///
/// A reference, like ``List``, with the same rules. Iteration is ascending by key. Keys must not
/// contain `.` or begin with `$`: such a key fails the write of a managed map, and the adding of an
/// unmanaged one.
///
/// In a realm keys are compared by their UTF-8 bytes, like all strings: two canonically equivalent
/// strings are two keys. In a Swift dictionary they are one key: when a managed map becomes a
/// dictionary, for example in an unmanaged map, an ``AnyRealmValue`` or by `mapValues(_:)`, the
/// first of them is kept.
///
/// Assigning nil to a key removes its entry, as in a dictionary; if the values are optional,
/// `updateValue(nil, forKey:)` keeps the entry with nil. Deleting an object that is a value sets
/// its key to nil.
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

@available(*, unavailable, message: "live maps stay on their actor: pass on map.freeze()")
extension Map: Sendable {}

/// The type of a map's keys: `String`.
public protocol MapKey: Hashable {}

extension String: MapKey {}

extension Map: Sequence where Key == String {
    /// The number of entries.
    public var count: Int { place.unmanaged?.contents.count ?? place.map?.count ?? 0 }

    /// How many entries an unmanaged map has. Zero for a managed one: if a node cannot be read, the
    /// iteration has fewer than `count`.
    public var underestimatedCount: Int { place.unmanaged?.contents.count ?? 0 }

    /// Whether there is no entry.
    public var isEmpty: Bool { count == 0 }

    /// The keys, ascending.
    public var keys: [String] {
        if let box = place.unmanaged { return box.contents.keys.sorted(by: precedesInMaps) }
        guard let view = place.map else { return [] }
        var keys: [String] = []
        keys.reserveCapacity(view.count)
        view.keys.forEach { if case .string(let key) = $0 { keys.append(key) } }
        return keys
    }

    /// The values, in the order of the keys.
    public var values: [Value] { map(\.value) }

    /// Iterates over the present entries.
    public func makeIterator() -> IndexingIterator<[Element]> {
        if let box = place.unmanaged {
            return box.contents.sorted { precedesInMaps($0.key, $1.key) }
                .map { ($0.key, $0.value) }.makeIterator()
        }
        guard let row = place.row else { return [].makeIterator() }
        let view = row.owner._map(row.column)
        var entries: [Element] = []
        entries.reserveCapacity(view.count)
        view.forEach { index, key, value in
            let place = ElementPlace(row.owner, row.column, position: index)
            entries.append((key, Value._element(StorableValue(value), at: place)))
        }
        return entries.makeIterator()
    }

    /// The value of a key; nil if the map does not have the key. Assigning nil removes the entry.
    /// O(log n).
    public subscript(key: String) -> Value? {
        get {
            if let box = place.unmanaged {
                if let value = box.contents[key] { return value }
                return box.traced.map { Value.ofTraced($0) }
            }
            guard let row = place.row else { return nil }
            let view = row.owner._map(row.column)
            let (position, found) = view.index(of: key)
            guard found else { return nil }
            return Value._element(
                StorableValue(view.values[position]),
                at: ElementPlace(row.owner, row.column, position: position))
        }
        nonmutating set {
            if let value = newValue {
                set(value, forKey: key)
            } else {
                removeObject(for: key)
            }
        }
    }

    /// The value of a key, or the given one if the map does not have the key. O(log n).
    public subscript(key: String, default value: @autoclosure () -> Value) -> Value {
        get { self[key] ?? value() }
        nonmutating set { set(newValue, forKey: key) }
    }

    /// The value of a key, as by subscript; nil if the map does not have the key. O(log n).
    public func value(forKey key: String) -> Value? { self[key] }

    /// The entries as pairs, like the iteration; for code written for Realm.
    public func asKeyValueSequence() -> Map { self }

    /// Whether there is an entry for a key. O(log n).
    public func contains(key: String) -> Bool {
        if let box = place.unmanaged { return box.contents[key] != nil }
        return place.map?.index(of: key).found ?? false
    }

    /// Whether both are one map: the same property of the same row, or copies of one unmanaged map.
    public func isSame(as other: Map) -> Bool { place.isSame(as: other.place) }
}

/// The order of keys in a map.
private func precedesInMaps(_ a: String, _ b: String) -> Bool {
    a.utf8.lexicographicallyPrecedes(b.utf8)
}

extension Map where Key == String {
    static func check(_ key: String) throws(RealmError) {
        // By bytes, as keys are compared: a dot with a combining accent is another `Character`.
        if key.utf8.first == UInt8(ascii: "$") || key.utf8.contains(UInt8(ascii: ".")) {
            throw .invalidValue(
                "The map key '\(key)' contains '.' or begins with '$'. Use another.")
        }
    }

    /// Whether both entries have one key and the same value.
    static func areSame(_ a: Element, _ b: Element) -> Bool {
        a.key.utf8.elementsEqual(b.key.utf8) && Value._areSame(a.value, b.value)
    }

    /// The entries as a dictionary; the first of several keys that Swift takes as equal wins.
    var dictionary: [String: Value] {
        if let box = place.unmanaged { return box.contents }
        return Dictionary(map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
}

/// A map whose value type is not known.
protocol EntryCollection {
    /// The entries, ascending by key.
    var entries: [(key: String, value: Any)] { get }
}

extension Map: EntryCollection where Key == String {
    var entries: [(key: String, value: Any)] { map { ($0.key, $0.value) } }
}

extension Map: ExpressibleByDictionaryLiteral where Key == String {
    /// An unmanaged map of the entries; the last one of equal keys wins.
    public init(dictionaryLiteral entries: (String, Value)...) {
        self.init(Dictionary(entries, uniquingKeysWith: { _, last in last }))
    }
}

extension Map: CustomStringConvertible where Key == String {
    /// The entries, one under the other.
    public var description: String {
        CollectionDescription.text(
            of: "Map<String, \(Value.self)>", count: count, lazy.map { ($0.key, $0.value) })
    }
}

extension Map: Equatable where Key == String, Value: Equatable {
    /// Whether both have the same keys with the same values; objects are the same when they
    /// represent the same row. See ``isSame(as:)`` for identity.
    public static func == (a: Map, b: Map) -> Bool {
        a.isSame(as: b) || a.count == b.count && a.elementsEqual(b) { areSame($0, $1) }
    }
}

extension Map: Hashable where Key == String, Value: Hashable {
    /// Hashes the keys.
    public func hash(into hasher: inout Hasher) { hasher.combine(keys) }
}
