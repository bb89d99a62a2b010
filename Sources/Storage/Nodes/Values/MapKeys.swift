// Keys of maps as the store distinguishes them, by their bytes: to Swift two ways to write a
// letter with its accent are one text.

extension Sequence<String> {
    /// The texts as keys of maps.
    package var asMapKeys: Set<StoredValue> { Set(map { StoredValue.string($0) }) }
}

extension Dictionary where Key == StoredValue {
    /// What stands for each key of a map; for one that comes twice, the first.
    package init(mapKeys keys: some Sequence<String>, _ values: some Sequence<Value>) {
        self.init(
            zip(keys.lazy.map { StoredValue.string($0) }, values),
            uniquingKeysWith: { first, _ in first })
    }
}
