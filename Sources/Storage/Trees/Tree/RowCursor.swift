/// Finds rows of one class; quick when neighbours are asked for one after another.
///
/// A location is valid until a row of another cluster is asked for, and while the view is.
package struct RowCursor {
    private let view: ClassView
    private var last: Cluster?
    /// Keeps the last cluster where the tree does not.
    private var keeper: NodeKeeper?

    /// Whether what is found is attached to the tree, whatever the memory budget says: locations
    /// are then valid while the view is.
    private let isAttaching: Bool

    package init(_ view: ClassView, attaching: Bool = false) {
        self.view = view
        isAttaching = attaching
    }

    package mutating func locate(_ key: RowKey) -> RowLocation? {
        if let last, let slot = last.slot(of: key) {
            return RowLocation(cluster: last, slot: slot)
        }
        if isAttaching {
            let location = view.attach(key)
            last = location?.cluster ?? last
            return location
        }
        guard let (location, keeper) = view.locate(key)?.keep() else { return nil }
        self.keeper = keeper
        last = location.cluster
        return location
    }

    /// Whether the row is of the cluster that was looked into last.
    package func isBeside(_ key: RowKey) -> Bool { last?.slot(of: key) != nil }

    /// Whether the last location is valid only until a row of another cluster is asked for.
    package var isTransient: Bool { keeper != nil }
}
