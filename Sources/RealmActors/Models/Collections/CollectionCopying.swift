// The standard library reserves capacity for `count` elements, and traps when the iterator returns
// fewer. If a node cannot be read, `count` includes elements that the iteration does not reach.

extension List {
    /// How many elements an unmanaged list has. Zero for a managed one: if a node cannot be read,
    /// the iteration has fewer than `count`.
    public var underestimatedCount: Int { place.unmanaged?.contents.count ?? 0 }

    /// The elements, without those that cannot be read.
    public func _copyToContiguousArray() -> ContiguousArray<Element> {
        if let box = place.unmanaged { return ContiguousArray(box.contents) }
        return ContiguousArray(walking: self, expected: count)
    }
}

extension MutableSet {
    /// How many elements an unmanaged set has. Zero for a managed one: if a node cannot be read,
    /// the iteration has fewer than `count`.
    public var underestimatedCount: Int { place.unmanaged?.contents.count ?? 0 }

    /// The elements, without those that cannot be read.
    public func _copyToContiguousArray() -> ContiguousArray<Element> {
        if let box = place.unmanaged { return ContiguousArray(box.contents.elements) }
        return ContiguousArray(walking: self, expected: count)
    }
}

extension LinkingObjects {
    /// Zero: if a node cannot be read, the iteration has fewer objects than `count`.
    public var underestimatedCount: Int { 0 }

    /// The objects, without those that cannot be read.
    public func _copyToContiguousArray() -> ContiguousArray<Element> {
        ContiguousArray(walking: self, expected: count)
    }
}

extension ContiguousArray {
    /// The elements of an iterator. `count` is evaluated after the iterator is made, which
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
