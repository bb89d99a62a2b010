/// The values of a ``ProjectedCollection`` in one version: immutable and Sendable.
public struct FrozenProjectedCollection<Value: Sendable>: Sendable {
    let source: FrozenReader<ProjectedSource<Value>>

    /// Takes a collection of a frozen accessor.
    init(frozen collection: ProjectedCollection<Value>) {
        source = FrozenReader(collection.source)
    }

    /// What a property shows of the objects of a frozen list or set.
    init(_ property: any ElementProperty<Value>, of objects: FrozenSource) {
        source = FrozenReader(property.source(of: objects))
    }
}

extension FrozenProjectedCollection: RandomAccessCollection {
    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of values.
    public var endIndex: Int { count }
    /// The number of values.
    public var count: Int { source.reader.count }
    /// The value at `position`, which must be below `count`.
    public subscript(position: Int) -> Value { source.reader.value(at: position) }
}

extension FrozenProjectedCollection: Equatable where Value: Equatable {
    /// Whether both have equal values in the same order.
    public static func == (
        a: FrozenProjectedCollection, b: FrozenProjectedCollection
    ) -> Bool { a.elementsEqual(b) }
}

extension FrozenProjectedCollection: Hashable where Value: Hashable {
    /// Hashes the values.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for value in self { hasher.combine(value) }
    }
}

extension FrozenProjectedCollection: CustomStringConvertible {
    /// The values, as an array shows them.
    public var description: String { "\(Array(self))" }
}

extension FrozenProjectedCollection: Encodable where Value: Encodable {
    /// Encodes an array.
    ///
    /// - Throws: what the values throw; ``RealmError`` when the store could not be read.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for value in self { try container.encode(value) }
        try requireReadable()
    }
}

extension FrozenProjectedCollection: StoreCollection {
    func requireReadable() throws(RealmError) { try source.reader.requireReadable() }
}
