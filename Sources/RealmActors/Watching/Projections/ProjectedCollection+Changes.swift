import Storage

extension FrozenProjectedCollection: ObservedCollection {
    /// Positions are indices.
    public typealias Position = Int
}

extension FrozenProjectedCollection: ChangeSource {
    /// The changes of the values, beginning with the values as they are when the first element is
    /// requested.
    ///
    /// A value counts as modified when a property of its object is written that the collection
    /// shows, also one with an equal value. Insertions and deletions are those of the list or set.
    /// When its owner is deleted, the values are delivered as deleted and the stream ends.
    public func changes() -> CollectionChanges<FrozenProjectedCollection> {
        source.reader.changes()
    }
}

// Not a conformance, which cannot require that the values are Sendable.
extension ProjectedCollection where Value: Sendable {
    /// One element of the stream.
    public typealias Change = CollectionChange<FrozenProjectedCollection<Value>>

    /// The changes of the values, as ``FrozenProjectedCollection/changes()`` delivers them.
    ///
    /// If the owner of the list or set was deleted, the stream ends at once. If it is unmanaged,
    /// the stream throws ``RealmError/invalidObject(_:)``, and if the realm was invalidated
    /// ``RealmError/invalidated(className:key:)``.
    public func changes() -> ChangeStream<Change> { source.changes() }

    /// Calls `block` on `actor` with what ``changes()`` delivers; see
    /// ``ChangeSource/observe(on:_:)``.
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` when the collection is unmanaged,
    ///   ``RealmError/invalidated(className:key:)`` when its realm was invalidated.
    public func observe<A: Actor>(
        on actor: A, _ block: @escaping ChangeHandler<A, Change>
    ) throws(RealmError) -> NotificationToken {
        try changes().deliver(on: actor, block)
    }

    /// Calls `block` on the main actor with what ``changes()`` delivers; see
    /// ``ChangeSource/observe(_:)``.
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` when the collection is unmanaged,
    ///   ``RealmError/invalidated(className:key:)`` when its realm was invalidated.
    public func observe(
        _ block: @escaping MainActorChangeHandler<Change>
    ) throws(RealmError) -> NotificationToken {
        try changes().deliverOnMainActor(block)
    }
}

extension ProjectedSource where Value: Sendable {
    /// The changes of the values.
    fileprivate func changes() -> CollectionChanges<FrozenProjectedCollection<Value>> {
        guard let objects else { return ChangeStream(failing: .changesOfUnmanagedCollection) }
        guard let context = objects.owner.__context as? FrozenContext else {
            preconditionFailure("A frozen collection belongs to a frozen object.")
        }
        let schema = context.view.schema[objects.owner.__model.classID]
        return ChangeStream(context.snapshot.hub) { () throws(RealmError) in
            if let failure = objects.detail?.failure { throw failure }
            var finder: ModificationFinder?
            if let target = schema.columns[objects.column].target {
                finder = try context.finder(property.paths, root: target, ifNone: .paths([]))
            }
            return CollectionProducer(
                ProjectedElementsComparison(OwnedReader(objects, in: context), finder, property))
        }
    }
}
