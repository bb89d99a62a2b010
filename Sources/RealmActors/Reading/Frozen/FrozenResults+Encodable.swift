extension FrozenResults: Encodable {
    /// Encodes an array of the objects, as ``Frozen`` encodes each: what
    /// ``ObjectWriting/create(_:json:update:unknownKeys:links:decoder:)`` reads.
    ///
    /// - Throws: `EncodingError` when links lead back to an object that is being encoded;
    ///   ``RealmError`` when the store could not be read.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for object in self { try container.encode(object) }
        try context.requireReadable()
    }
}
