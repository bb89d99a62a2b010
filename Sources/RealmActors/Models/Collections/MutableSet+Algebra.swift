extension MutableSet {
    /// Whether every element is in `other` too.
    public func isSubset(of other: MutableSet) -> Bool {
        count <= other.count && allSatisfy { other.contains($0) }
    }

    /// Whether every element is in `elements` too.
    public func isSubset(of elements: some Sequence<Element>) -> Bool {
        isSubset(of: MutableSet(elements))
    }

    /// Whether every element of `other` is in this set too.
    public func isSuperset(of other: MutableSet) -> Bool { other.isSubset(of: self) }

    /// Whether every one of `elements` is in this set too.
    public func isSuperset(of elements: some Sequence<Element>) -> Bool {
        elements.allSatisfy { contains($0) }
    }

    /// Whether every element is in `other` too, which has further elements.
    public func isStrictSubset(of other: MutableSet) -> Bool {
        count < other.count && isSubset(of: other)
    }

    /// Whether every element of `other` is in this set too, which has further elements.
    public func isStrictSuperset(of other: MutableSet) -> Bool { other.isStrictSubset(of: self) }

    /// Whether the sets share an element.
    public func intersects(_ other: MutableSet) -> Bool {
        count <= other.count
            ? contains { other.contains($0) } : other.contains { contains($0) }
    }

    /// Whether one of `elements` is in this set.
    public func intersects(_ elements: some Sequence<Element>) -> Bool {
        elements.contains { contains($0) }
    }

    /// Whether the sets share no element.
    public func isDisjoint(with other: MutableSet) -> Bool { !intersects(other) }

    /// Whether none of `elements` is in this set.
    public func isDisjoint(with elements: some Sequence<Element>) -> Bool {
        !intersects(elements)
    }
}

extension MutableSet {
    /// Adds the elements of a sequence, possibly another set.
    public func formUnion(_ elements: some Sequence<Element>) { insert(objectsIn: elements) }

    /// Keeps the elements that `other` has too.
    public func formIntersection(_ other: MutableSet) { remove(filter { !other.contains($0) }) }

    /// Keeps the elements that are among `elements`.
    public func formIntersection(_ elements: some Sequence<Element>) {
        formIntersection(MutableSet(elements))
    }

    /// Removes the elements of a sequence, possibly another set.
    public func subtract(_ elements: some Sequence<Element>) { remove(Array(elements)) }

    /// Removes the elements that `other` has too, and adds those that only it has.
    public func formSymmetricDifference(_ other: MutableSet) {
        let common = other.filter { contains($0) }
        let added = other.filter { !contains($0) }
        remove(common)
        insert(objectsIn: added)
    }

    /// Removes the elements that are among `elements`, and adds those that are only among
    /// `elements`.
    public func formSymmetricDifference(_ elements: some Sequence<Element>) {
        formSymmetricDifference(MutableSet(elements))
    }
}

extension MutableSet {
    /// An unmanaged set of the elements of both.
    public func union(_ elements: some Sequence<Element>) -> MutableSet {
        changed { $0.formUnion(elements) }
    }

    /// An unmanaged set of the elements that are in both.
    public func intersection(_ elements: some Sequence<Element>) -> MutableSet {
        changed { $0.formIntersection(elements) }
    }

    /// An unmanaged set of the elements that are not among `elements`.
    public func subtracting(_ elements: some Sequence<Element>) -> MutableSet {
        changed { $0.subtract(elements) }
    }

    /// An unmanaged set of the elements that are in exactly one of both.
    public func symmetricDifference(_ elements: some Sequence<Element>) -> MutableSet {
        changed { $0.formSymmetricDifference(elements) }
    }

    private func changed(_ change: (MutableSet) -> Void) -> MutableSet {
        let copy = MutableSet(self)
        change(copy)
        return copy
    }
}
