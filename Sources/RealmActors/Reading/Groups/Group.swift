/// The aggregates of the objects that have one value in common.
public struct Group<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The common value of the objects. Strings that are equal in Swift but differ in their bytes
    /// are different keys. So are raw values without a case, which read as the default of the
    /// property, or nil if it is optional.
    public let key: Key
    /// The aggregate: one value, or a tuple of several.
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
