package import Storage

/// The entries of a ``Map`` in one version: an immutable, Sendable collection, ascending by key.
public struct FrozenMap<Value: FrozenElement>: Sendable {
    /// A key and its value.
    public typealias Element = (key: String, value: Value)

    package let source: FrozenSource
    /// Nodes of the version that the source holds.
    private let nodes: SharedNodes<MapView>

    package var view: MapView { nodes.reader }

    init<Contents>(_ place: CollectionPlace<Contents>) { self.init(FrozenSource(place)) }

    init(_ source: FrozenSource) {
        self.source = source
        nodes = SharedNodes(source.map)
    }

    /// The value of a key; nil when there is none. O(log n).
    public subscript(key: String) -> Value? {
        view.value(forKey: key).map { Value._frozen(StorableValue($0), source) }
    }

    /// The value of a key, or the given one if the map does not have the key. O(log n).
    public subscript(key: String, default value: @autoclosure () -> Value) -> Value {
        self[key] ?? value()
    }

    /// Whether there is an entry for a key. O(log n).
    public func contains(key: String) -> Bool { view.index(of: key).found }

    /// The position of a key; nil when it has no entry. O(log n).
    public func index(forKey key: String) -> Int? {
        let (index, found) = view.index(of: key)
        return found ? index : nil
    }

    /// The keys, ascending.
    public var keys: [String] {
        var keys: [String] = []
        keys.reserveCapacity(view.count)
        view.keys.forEach { if case .string(let key) = $0 { keys.append(key) } }
        return keys
    }

    /// The values, in the order of their keys.
    public var values: [Value] {
        var values: [Value] = []
        values.reserveCapacity(view.count)
        // Reads the keys too, so that an entry with an unreadable key is skipped here as in
        // ``keys``.
        view.forEach { values.append(Value._frozen(StorableValue($2), source)) }
        return values
    }

    /// The entries as a dictionary.
    public var dictionary: [String: Value] {
        var entries: [(String, Value)] = []
        entries.reserveCapacity(view.count)
        view.forEach { entries.append(($1, Value._frozen(StorableValue($2), source))) }
        return Dictionary(entries, uniquingKeysWith: { first, _ in first })
    }

    /// The keys with transformed values.
    public func mapValues<Other>(_ transform: (Value) throws -> Other) rethrows -> [String: Other] {
        try dictionary.mapValues(transform)
    }

    /// The keys with transformed values, without those for which `transform` returns nil.
    public func compactMapValues<Other>(
        _ transform: (Value) throws -> Other?
    ) rethrows -> [String: Other] {
        try dictionary.compactMapValues(transform)
    }

    /// The entries that satisfy `isIncluded`.
    public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> [String: Value] {
        try dictionary.filter { try isIncluded(($0.key, $0.value)) }
    }

    /// The entries of both; `combine` decides where both have a key.
    public func merging(
        _ entries: some Sequence<(key: String, value: Value)>,
        uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows -> [String: Value] {
        try dictionary.merging(entries.map { ($0.key, $0.value) }, uniquingKeysWith: combine)
    }
}

extension FrozenMap: RandomAccessCollection {
    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of entries.
    public var endIndex: Int { view.count }
    /// The number of entries.
    public var count: Int { view.count }

    /// The entry at `position`, which must be below `count`.
    public subscript(position: Int) -> Element {
        guard position >= 0, position < view.count else { outOfBounds(position, in: self) }
        guard case .string(let key) = view.keys[position] else {
            preconditionFailure("Maps have string keys.")
        }
        return (key, Value._frozen(StorableValue(view.values[position]), source))
    }
}

extension FrozenMap: EntryCollection {
    var entries: [(key: String, value: Any)] { map { ($0.key, $0.value) } }
}

extension FrozenMap: Equatable where Value: Equatable {
    /// Whether both have the same entries: the same keys, by their bytes, with equal values.
    public static func == (a: FrozenMap, b: FrozenMap) -> Bool {
        a.elementsEqual(b) { $0.key.utf8.elementsEqual($1.key.utf8) && $0.value == $1.value }
    }
}

extension FrozenMap: Hashable where Value: Hashable {
    /// Hashes the entries.
    public func hash(into hasher: inout Hasher) {
        for (key, value) in self {
            hasher.combine(key)
            hasher.combine(value)
        }
    }
}

extension FrozenMap: CustomStringConvertible {
    /// The entries, one under the other.
    public var description: String {
        CollectionDescription.text(
            of: "FrozenMap<\(Value.self)>", count: count, lazy.map { ($0.key, $0.value) })
    }
}

extension FrozenMap: Encodable where Value: Encodable {
    /// Encodes an object with the keys.
    ///
    /// - Throws: what the values throw; ``RealmError`` when the store could not be read.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: NameKey.self)
        for (key, value) in self { try container.encode(value, forKey: NameKey(key)) }
        try requireReadable()
    }
}

extension FrozenMap: StoreCollection {
    func requireReadable() throws(RealmError) { try source.owner._requireReadable() }
}
