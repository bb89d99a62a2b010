// As for live collections: if a node cannot be read, `count` includes objects that the iteration
// does not reach.

extension QueryableResults {
    /// Zero: if a node cannot be read, the iteration has fewer objects than `count`.
    public var underestimatedCount: Int { 0 }

    /// The objects, without those that cannot be read.
    public func _copyToContiguousArray() -> ContiguousArray<Element> {
        ContiguousArray(walking: self, expected: _rows.knownCount)
    }
}

extension FrozenProjectionResults {
    /// Zero: if a node cannot be read, the iteration has fewer objects than `count`.
    public var underestimatedCount: Int { 0 }

    /// The projections, without those of objects that cannot be read.
    public func _copyToContiguousArray() -> ContiguousArray<FrozenProjection<P>> {
        ContiguousArray(walking: self, expected: rootObjects._rows.knownCount)
    }
}

extension ProjectionResults {
    /// Zero: if a node cannot be read, the iteration has fewer objects than `count`.
    public var underestimatedCount: Int { 0 }

    /// The projections, without those of objects that cannot be read.
    public func _copyToContiguousArray() -> ContiguousArray<P> {
        ContiguousArray(walking: self, expected: rootObjects._rows.knownCount)
    }
}

extension ResultsSection {
    /// Zero: if a node cannot be read, the iteration has fewer objects than `count`.
    public var underestimatedCount: Int { 0 }

    /// The objects, without those that cannot be read.
    public func _copyToContiguousArray() -> ContiguousArray<Model> {
        ContiguousArray(walking: self, expected: nil)
    }
}
