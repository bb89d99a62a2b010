// The standard library makes room for as many elements as a collection counts, and traps when its
// iterator gives fewer. Where a node cannot be read, elements are counted that no walk comes to.

extension List {
    /// How many elements an unmanaged list has. Zero for a managed one: fewer may come than are
    /// counted, where the store cannot be read.
    public var underestimatedCount: Int { place.unmanaged?.contents.count ?? 0 }

    /// The elements, without those that cannot be read.
    public func _copyToContiguousArray() -> ContiguousArray<Element> {
        if let box = place.unmanaged { return ContiguousArray(box.contents) }
        return ContiguousArray(walking: self, expected: count)
    }
}

extension MutableSet {
    /// How many elements an unmanaged set has. Zero for a managed one: fewer may come than are
    /// counted, where the store cannot be read.
    public var underestimatedCount: Int { place.unmanaged?.contents.count ?? 0 }

    /// The elements, without those that cannot be read.
    public func _copyToContiguousArray() -> ContiguousArray<Element> {
        if let box = place.unmanaged { return ContiguousArray(box.contents.elements) }
        return ContiguousArray(walking: self, expected: count)
    }
}

extension LinkingObjects {
    /// Zero: fewer objects may come than are counted, where the store cannot be read.
    public var underestimatedCount: Int { 0 }

    /// The objects, without those that cannot be read.
    public func _copyToContiguousArray() -> ContiguousArray<Element> {
        ContiguousArray(walking: self, expected: count)
    }
}

extension ContiguousArray {
    /// What the iterator of a collection gives, of which so many are expected once it is made: that
    /// evaluates results.
    init(
        walking elements: some Sequence<Element>, expected count: @autoclosure () -> Int?
    ) {
        self.init()
        var iterator = elements.makeIterator()
        reserveCapacity(count() ?? 0)
        while let element = iterator.next() { append(element) }
    }
}
