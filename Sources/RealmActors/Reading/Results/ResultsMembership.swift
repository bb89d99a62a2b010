// As in lists, an object is among others when its row is: whichever version a frozen one shows, and
// whichever object stands for the row of a live one.

extension FrozenResults {
    /// The position of an object, as ``index(of:)`` gives it.
    public func firstIndex(of object: Frozen<Model>) -> Int? { index(of: object) }

    /// Whether an object is among these, whatever the version that it shows.
    public func contains(_ object: Frozen<Model>) -> Bool { index(of: object) != nil }
}

extension Results {
    /// The position of an object, as ``index(of:)`` gives it.
    public func firstIndex(of object: Model) -> Int? { index(of: object) }

    /// Whether an object is among these.
    public func contains(_ object: Model) -> Bool { index(of: object) != nil }
}

extension FrozenResultsSection {
    /// The position of an object, as ``index(of:)`` gives it.
    public func firstIndex(of object: Frozen<Model>) -> Int? { index(of: object) }

    /// Whether an object is in this section, whatever the version that it shows.
    public func contains(_ object: Frozen<Model>) -> Bool { index(of: object) != nil }
}

extension ResultsSection {
    /// The position of an object, as ``index(of:)`` gives it.
    public func firstIndex(of object: Model) -> Int? { index(of: object) }

    /// Whether an object is in this section.
    public func contains(_ object: Model) -> Bool { index(of: object) != nil }
}

extension FrozenProjectionResults {
    /// The position of a projection's object, as ``index(of:)`` gives it.
    public func firstIndex(of projection: FrozenProjection<P>) -> Int? { index(of: projection) }

    /// Whether a projection's object is among these, whatever the version that it shows.
    public func contains(_ projection: FrozenProjection<P>) -> Bool {
        index(of: projection) != nil
    }
}

extension ProjectionResults {
    /// The position of a projection's object, as ``index(of:)`` gives it.
    public func firstIndex(of projection: P) -> Int? { index(of: projection) }

    /// Whether a projection's object is among these.
    public func contains(_ projection: P) -> Bool { index(of: projection) != nil }
}
