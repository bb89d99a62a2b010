import Storage

extension FrozenList: ObservedCollection, OwnedSequence {
    /// Positions are indices.
    public typealias Position = Int

    init(owner: ObjectBase, column: Int) {
        source = FrozenSource(owner: owner, column: column)
        view = owner._sequence(column)
    }

    init(formerOwner: ObjectBase, column: Int) {
        source = FrozenSource(owner: formerOwner, column: column)
        view = .empty(.int)
    }
}

extension FrozenList {
    /// The changes of the list, beginning with the list as it is when the first element is asked
    /// for. Objects in the list count as modified when they, or what they link to, are written, up
    /// to four links away. When the list's object is deleted, its elements are delivered as deleted
    /// and the stream ends.
    public func changes() -> CollectionChanges<FrozenList> { source.changes(.success([])) }

    /// The changes of the list; objects in it count as modified when a property on one of the key
    /// paths is written.
    public func changes<Model: ObjectBase>(
        keyPaths: [PartialKeyPath<Model>]
    ) -> CollectionChanges<FrozenList> where Element == Frozen<Model> {
        source.changes(source.paths(keyPaths))
    }

    /// The changes of the list, with key paths as text.
    @_disfavoredOverload
    public func changes<Model: ObjectBase>(
        keyPaths: [String]
    ) -> CollectionChanges<FrozenList> where Element == Frozen<Model> {
        source.changes(source.paths(keyPaths))
    }
}

extension FrozenSet: ObservedCollection, OwnedSequence {
    /// Positions are indices.
    public typealias Position = Int

    init(owner: ObjectBase, column: Int) {
        source = FrozenSource(owner: owner, column: column)
        view = owner._sequence(column)
    }

    init(formerOwner: ObjectBase, column: Int) {
        source = FrozenSource(owner: formerOwner, column: column)
        view = .empty(.int)
    }
}

extension FrozenSet {
    /// The changes of the set, beginning with the set as it is when the first element is asked for.
    /// Positions are those of its ascending order.
    public func changes() -> CollectionChanges<FrozenSet> { source.changes(.success([])) }

    /// The changes of the set; objects in it count as modified when a property on one of the key
    /// paths is written.
    public func changes<Model: ObjectBase>(
        keyPaths: [PartialKeyPath<Model>]
    ) -> CollectionChanges<FrozenSet> where Element == Frozen<Model> {
        source.changes(source.paths(keyPaths))
    }

    /// The changes of the set, with key paths as text.
    @_disfavoredOverload
    public func changes<Model: ObjectBase>(
        keyPaths: [String]
    ) -> CollectionChanges<FrozenSet> where Element == Frozen<Model> {
        source.changes(source.paths(keyPaths))
    }
}
