import Storage

extension FrozenSet {
    /// Whether the element is in the set; an object is when its row is, in any version.
    /// O(log n).
    public func contains(_ element: Element) -> Bool { index(of: element) != nil }

    /// The position of an element in the ascending order; nil when it is not in the set. O(log n).
    public func index(of element: Element) -> Int? {
        guard let sought = element._frozenSought(in: source) else { return nil }
        let (index, found) = view.sortedIndex(of: sought.value)
        return found ? index : nil
    }

    /// The position of an element in the ascending order; nil when it is not in the set. O(log n).
    public func firstIndex(of element: Element) -> Int? { index(of: element) }

    /// The position of an element in the ascending order; nil when it is not in the set. O(log n).
    public func lastIndex(of element: Element) -> Int? { index(of: element) }

    /// Whether every element is in `other` too.
    public func isSubset(of other: FrozenSet) -> Bool {
        count <= other.count && allSatisfy { other.contains($0) }
    }

    /// Whether every element is among `elements`.
    public func isSubset(of elements: some Sequence<Element>) -> Bool {
        positions(without: elements).isEmpty
    }

    /// Whether every one of `elements` is in this set too.
    public func isSuperset(of elements: some Sequence<Element>) -> Bool {
        elements.allSatisfy { contains($0) }
    }

    /// Whether every element is in `other` too, which has more.
    public func isStrictSubset(of other: FrozenSet) -> Bool {
        count < other.count && isSubset(of: other)
    }

    /// Whether every element of `other` is in this set too, which has more.
    public func isStrictSuperset(of other: FrozenSet) -> Bool { other.isStrictSubset(of: self) }

    /// Whether one of `elements` is in this set.
    public func intersects(_ elements: some Sequence<Element>) -> Bool {
        elements.contains { contains($0) }
    }

    /// Whether none of `elements` is in this set.
    public func isDisjoint(with elements: some Sequence<Element>) -> Bool {
        !intersects(elements)
    }

    /// The elements of both; for an object that is in both, that of this set.
    public func union(_ elements: some Sequence<Element>) -> Set<Element> {
        Set(self).union(elements.filter { !contains($0) })
    }

    /// The elements that are in both.
    public func intersection(_ elements: some Sequence<Element>) -> Set<Element> {
        Set(elements.filter { contains($0) })
    }

    /// The elements that are not among `elements`.
    public func subtracting(_ elements: some Sequence<Element>) -> Set<Element> {
        Set(positions(without: elements).map { self[$0] })
    }

    /// The elements that are in exactly one of both.
    public func symmetricDifference(_ elements: some Sequence<Element>) -> Set<Element> {
        let others = Array(elements)
        return subtracting(others).union(others.filter { !contains($0) })
    }

    /// The positions of the elements that are not among `elements`, compared as in the set: objects
    /// by their rows, in any version.
    private func positions(without elements: some Sequence<Element>) -> [Int] {
        let others = Set(
            elements.compactMap { element in
                element._frozenSought(in: source).map { ExactValue($0.value) }
            })
        return indices.filter { !others.contains(ExactValue(view[$0])) }
    }
}

extension FrozenSet: AggregatableCollection {
    /// The type of the elements.
    public typealias AggregatedValue = Element

    /// Visits the elements as they are stored.
    public func _forEachStored(_ body: (StorableValue) -> Void) {
        view.forEach { body(StorableValue($0)) }
    }
}

extension FrozenMap: AggregatableCollection {
    /// The type of the values.
    public typealias AggregatedValue = Value

    /// Visits the values as they are stored.
    public func _forEachStored(_ body: (StorableValue) -> Void) {
        view.values.forEach { body(StorableValue($0)) }
    }

    /// Visits the values as they read.
    public func _forEachValue(_ body: (Value) -> Void) { values.forEach(body) }
}
