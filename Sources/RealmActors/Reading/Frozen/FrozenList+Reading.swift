import Storage

extension FrozenList {
    /// The first position of an element; nil when it is not in the list. Objects are the same when
    /// they are the same row, in any version. O(n).
    public func index(of element: Element) -> Int? {
        guard let sought = element._frozenSought(in: source)?.value else {
            return equality(with: element).flatMap { firstIndex(where: $0) }
        }
        return view.position(of: sought, in: source.owner)
    }

    /// The first position of an element; nil when it is not in the list. O(n).
    public func firstIndex(of element: Element) -> Int? { index(of: element) }

    /// The last position of an element; nil when it is not in the list. O(n).
    public func lastIndex(of element: Element) -> Int? {
        guard let sought = element._frozenSought(in: source)?.value else {
            return equality(with: element).flatMap { lastIndex(where: $0) }
        }
        let matches = view.matching(sought, in: source.owner)
        return indices.last { matches(view[$0]) }
    }

    /// Whether an element is in the list. O(n).
    public func contains(_ element: Element) -> Bool { index(of: element) != nil }

    /// The comparison for values that are stored as embedded objects, and for collections within
    /// values; nil for all others, which are found by their stored form.
    private func equality(with element: Element) -> ((Element) -> Bool)? {
        if let value = element as? FrozenValue {
            guard value.isCollection else { return nil }
            return { ($0 as? FrozenValue)?.readsLike(value) ?? false }
        }
        guard element is any FailableCustomPersistable, let sought = element as? AnyHashable else {
            return nil
        }
        return { ($0 as? AnyHashable) == sought }
    }
}

extension FrozenList: AggregatableCollection {
    /// The type of the elements.
    public typealias AggregatedValue = Element

    /// Visits the elements as they are stored.
    public func _forEachStored(_ body: (StorableValue) -> Void) {
        view.forEach { body(StorableValue($0)) }
    }
}
