import Storage

// As in lists, objects are compared by their rows: frozen ones in any version, live ones with any
// accessor.

extension FrozenResults {
    /// The position of an object, as ``index(of:)`` gives it.
    public func firstIndex(of object: Frozen<Model>) -> Int? { index(of: object) }

    /// The last position of an object, which results of a list may have more than once. O(n).
    public func lastIndex(of object: Frozen<Model>) -> Int? {
        contains(object) ? lastIndex { $0.object.__key == object.object.__key } : nil
    }

    /// Whether an object is among these, in any version.
    public func contains(_ object: Frozen<Model>) -> Bool { index(of: object) != nil }
}

extension Results {
    /// The position of an object, as ``index(of:)`` gives it.
    public func firstIndex(of object: Model) -> Int? { index(of: object) }

    /// The last position of an object, which results of a list may have more than once. O(n).
    public func lastIndex(of object: Model) -> Int? {
        contains(object) ? lastIndex { $0.__key == object.__key } : nil
    }

    /// Whether an object is among these.
    public func contains(_ object: Model) -> Bool { index(of: object) != nil }
}

extension FrozenResultsSection {
    /// The position of an object, as ``index(of:)`` gives it.
    public func firstIndex(of object: Frozen<Model>) -> Int? { index(of: object) }

    /// The last position of an object, which results of a list may have more than once. O(n).
    public func lastIndex(of object: Frozen<Model>) -> Int? {
        contains(object) ? lastIndex { $0.object.__key == object.object.__key } : nil
    }

    /// Whether an object is in this section, in any version.
    public func contains(_ object: Frozen<Model>) -> Bool { index(of: object) != nil }
}

extension ResultsSection {
    /// The position of an object, as ``index(of:)`` gives it.
    public func firstIndex(of object: Model) -> Int? { index(of: object) }

    /// The last position of an object, which results of a list may have more than once. O(n).
    public func lastIndex(of object: Model) -> Int? {
        contains(object) ? lastIndex { $0.__key == object.__key } : nil
    }

    /// Whether an object is in this section.
    public func contains(_ object: Model) -> Bool { index(of: object) != nil }
}

extension FrozenProjectionResults {
    /// The position of a projection's object, as ``index(of:)`` gives it.
    public func firstIndex(of projection: FrozenProjection<P>) -> Int? { index(of: projection) }

    /// The last position of a projection's object, which may be there more than once. O(n).
    public func lastIndex(of projection: FrozenProjection<P>) -> Int? {
        rootObjects.lastIndex(of: projection.rootObject)
    }

    /// Whether a projection's object is among these, in any version.
    public func contains(_ projection: FrozenProjection<P>) -> Bool {
        index(of: projection) != nil
    }
}

extension ProjectionResults {
    /// The position of a projection's object, as ``index(of:)`` gives it.
    public func firstIndex(of projection: P) -> Int? { index(of: projection) }

    /// The last position of a projection's object, which may be there more than once. O(n).
    public func lastIndex(of projection: P) -> Int? {
        rootObjects.lastIndex(of: projection.rootObject)
    }

    /// Whether a projection's object is among these.
    public func contains(_ projection: P) -> Bool { index(of: projection) != nil }
}
