// As of live collections: where a node cannot be read, objects are counted that no walk comes to.

extension QueryableResults {
    /// Zero: fewer objects may come than are counted, where the store cannot be read.
    public var underestimatedCount: Int { 0 }

    /// The objects, without those that cannot be read.
    public func _copyToContiguousArray() -> ContiguousArray<Element> {
        ContiguousArray(walking: self, expected: _rows.knownCount)
    }
}

extension FrozenProjectionResults {
    /// Zero: fewer objects may come than are counted, where the store cannot be read.
    public var underestimatedCount: Int { 0 }

    /// The projections, without those of objects that cannot be read.
    public func _copyToContiguousArray() -> ContiguousArray<FrozenProjection<P>> {
        ContiguousArray(walking: self, expected: rootObjects._rows.knownCount)
    }
}

extension ProjectionResults {
    /// Zero: fewer objects may come than are counted, where the store cannot be read.
    public var underestimatedCount: Int { 0 }

    /// The projections, without those of objects that cannot be read.
    public func _copyToContiguousArray() -> ContiguousArray<P> {
        ContiguousArray(walking: self, expected: rootObjects._rows.knownCount)
    }
}

extension ResultsSection {
    /// Zero: fewer objects may come than are counted, where the store cannot be read.
    public var underestimatedCount: Int { 0 }

    /// The objects, without those that cannot be read.
    public func _copyToContiguousArray() -> ContiguousArray<Model> {
        ContiguousArray(walking: self, expected: nil)
    }
}
