/// What was worked out of the objects that have one value in common.
public struct Group<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// What the objects have in common.
    public let key: Key
    /// What was worked out of them: one value, or a tuple of several.
    public let value: Value

    init(_ key: Key, _ value: Value) {
        self.key = key
        self.value = value
    }
}

extension Group: Equatable where Value: Equatable {}
extension Group: Hashable where Value: Hashable {}

extension Group: Identifiable {
    /// The key, which no other group has.
    public var id: Key { key }
}

extension Group: CustomStringConvertible {
    /// The key and the value.
    public var description: String { "\(key): \(value)" }
}
