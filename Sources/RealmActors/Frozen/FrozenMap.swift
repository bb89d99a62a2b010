package import Storage

/// The entries of a ``Map`` in one version: an immutable, Sendable collection, ascending by key.
public struct FrozenMap<Value: FrozenElement> {
    /// A key and its value.
    public typealias Element = (key: String, value: Value)

    package let source: FrozenSource
    package let view: MapView

    init<Contents>(_ place: CollectionPlace<Contents>) {
        guard let row = place.managed else {
            preconditionFailure("A frozen object has managed collections only.")
        }
        source = FrozenSource(owner: row.owner, column: row.column)
        view = row.owner._map(row.column)
    }

    /// The value of a key; nil when there is none. O(log n).
    public subscript(key: String) -> Value? {
        view.value(forKey: key).map { Value._frozen(StorableValue($0), source) }
    }

    /// The keys, ascending.
    public var keys: [String] { map(\.key) }

    /// The values, in the order of their keys.
    public var values: [Value] { map(\.value) }
}

// Unchecked, and safe: the view borrows from the immutable snapshot that `source` keeps alive.
extension FrozenMap: @unchecked Sendable {}

extension FrozenMap: RandomAccessCollection {
    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of entries.
    public var endIndex: Int { view.count }
    /// The number of entries.
    public var count: Int { view.count }

    /// The entry at `position`, which must be below `count`.
    public subscript(position: Int) -> Element {
        precondition(
            position >= 0 && position < view.count,
            "Index \(position) is out of bounds (must be less than \(view.count)).")
        guard case .string(let key) = view.keys[position] else {
            preconditionFailure("Maps have string keys.")
        }
        return (key, Value._frozen(StorableValue(view.values[position]), source))
    }
}

extension FrozenMap: Equatable where Value: Equatable {
    /// Whether both have the same entries.
    public static func == (a: FrozenMap, b: FrozenMap) -> Bool { a.elementsEqual(b, by: ==) }
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
    /// The entries, as a dictionary shows them.
    public var description: String {
        isEmpty ? "[:]" : "[" + map { "\($0.key): \($0.value)" }.joined(separator: ", ") + "]"
    }
}

extension FrozenMap: Encodable where Value: Encodable {
    /// Encodes an object with the keys.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: NameKey.self)
        for (key, value) in self { try container.encode(value, forKey: NameKey(key)) }
    }
}

/// A coding key that is any name.
struct NameKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
