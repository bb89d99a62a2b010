/// The changes of a collection: see ``ChangeStream``.
public typealias CollectionChanges<C: ObservedCollection> = ChangeStream<CollectionChange<C>>

/// One element of a collection's change stream.
///
/// A stream begins with ``initial(_:)``. In every later element, deletions and modifications are
/// positions in the collection of the previous element, insertions positions in that of this one;
/// each is ascending. Removing the deletions from the previous collection and inserting the
/// insertions gives the new one. An element that moved is deleted and inserted.
public enum CollectionChange<C: ObservedCollection>: Sendable {
    /// The collection as it was when the first element was requested; with
    /// ``ChangeBuffering/everyVersion(bufferLimit:)``, as it was when the subscription began.
    case initial(C)
    /// The collection has changed.
    case update(
        C, deletions: [C.Position], insertions: [C.Position], modifications: [C.Position])

    /// The collection of this element.
    public var collection: C {
        switch self {
        case .initial(let collection), .update(let collection, _, _, _): collection
        }
    }

    /// The positions of the modified elements in ``collection``, in the same order as the
    /// modifications.
    ///
    /// - Complexity: linear in the number of changes.
    public var newModifications: [C.Position] {
        switch self {
        case .initial: []
        case .update(let collection, let deletions, let insertions, let modifications):
            collection.newPositions(
                of: modifications, deletions: deletions, insertions: insertions)
        }
    }
}
