// The standard library makes room for as many elements as a collection counts, and traps when its
// iterator gives fewer. Where a node cannot be read, objects are counted that no walk comes to.

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

extension ContiguousArray {
    /// What the iterator of a collection gives, of which so many are expected.
    fileprivate init(walking elements: some Sequence<Element>, expected count: Int?) {
        self.init()
        reserveCapacity(count ?? 0)
        for element in elements { append(element) }
    }
}
