/// The aggregates of the objects that have one value in common.
public struct Group<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// What the objects have in common. Two strings that are equal in Swift are two keys when their
    /// bytes differ; so are raw values that are no case of an enum, which read as the default of
    /// the property, and as nil where it is optional.
    public let key: Key
    /// What was computed from them: one value, or a tuple of several.
    public let value: Value

    @inlinable
    init(_ key: Key, _ value: Value) {
        self.key = key
        self.value = value
    }
}

extension Group: Equatable where Value: Equatable {}
extension Group: Hashable where Value: Hashable {}

extension Group: CustomStringConvertible {
    /// The key and the value.
    public var description: String { "\(key): \(value)" }
}
