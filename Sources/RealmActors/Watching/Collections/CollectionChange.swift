/// The changes of a collection: see ``ChangeStream``.
public typealias CollectionChanges<C: ObservedCollection> = ChangeStream<CollectionChange<C>>

/// One element of a collection's change stream.
///
/// A stream begins with ``initial(_:)``. In every later element, deletions and modifications index
/// the collection of the element before, insertions the one at hand; each is ascending. Removing
/// the deletions from the previous elements and inserting those at the insertions gives the present
/// ones. What changed its place is deleted and inserted.
public enum CollectionChange<C: ObservedCollection>: Sendable {
    /// The collection as it was when the first element was asked for; with
    /// ``ChangeBuffering/everyVersion(bufferLimit:)``, as it was when the subscription began.
    case initial(C)
    /// The collection has changed.
    case update(
        C, deletions: [C.Position], insertions: [C.Position], modifications: [C.Position])

    /// The collection at hand.
    public var collection: C {
        switch self {
        case .initial(let collection), .update(let collection, _, _, _): collection
        }
    }

    /// The modifications as positions of the collection at hand, in the same order.
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
