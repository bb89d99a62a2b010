// Keys of maps are distinguished by their bytes, whereas canonically equivalent texts are equal in
// Swift.

extension Sequence<String> {
    /// The texts as keys of maps.
    package var asMapKeys: Set<StoredValue> { Set(map { StoredValue.string($0) }) }
}

extension Dictionary where Key == StoredValue {
    /// The value of each key of a map; for a repeated key, the first.
    package init(mapKeys keys: some Sequence<String>, _ values: some Sequence<Value>) {
        self.init(
            zip(keys.lazy.map { StoredValue.string($0) }, values),
            uniquingKeysWith: { first, _ in first })
    }
}
