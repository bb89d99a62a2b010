extension Frozen {
    /// The object as the live realm has it now; nil when it was deleted. Advances the realm to this
    /// object's version first.
    public func thaw(in live: LiveRealm) -> Model? { live.resolve(self) }
}

extension FrozenProjection {
    /// The projection as the live realm has it now; nil when its object was deleted. Advances the
    /// realm to this version first.
    public func thaw(in live: LiveRealm) -> P? {
        rootObject.thaw(in: live).map { P(projecting: $0) }
    }
}

extension FrozenResultsSection {
    /// The same section as the live realm has it now; nil in a realm of another store. Advances the
    /// realm to this version first.
    public func thaw(in live: LiveRealm) -> ResultsSection<Key, Model>? {
        sections.thaw(in: live).map { ResultsSection($0, key) }
    }
}

extension FrozenSectionedResults {
    /// The same sections as the live realm has them now; nil in a realm of another store. Advances
    /// the realm to this version first.
    public func thaw(in live: LiveRealm) -> SectionedResults<Key, Model>? {
        results.thaw(in: live).map { SectionedResults($0, keying) }
    }
}

extension LiveRealm {
    /// The live projection of the same object as a frozen one; nil when the object was deleted. If
    /// this realm is behind that version, advances to it first.
    public func resolve<P: ProjectionObservable>(_ frozen: FrozenProjection<P>) -> P? {
        frozen.thaw(in: self)
    }
}
