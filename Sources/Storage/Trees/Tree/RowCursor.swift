/// Looks up rows of one class; fast for neighbouring rows in succession.
///
/// A location is valid until a row of another cluster is requested, and while the view is.
package struct RowCursor {
    private let view: ClassView
    private var last: Cluster?
    /// Retains the last cluster if the tree does not.
    private var keeper: NodeKeeper?

    /// Whether clusters are attached to the tree, regardless of the memory budget: locations are
    /// then valid while the view is.
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

    /// Whether the row is in the last cluster.
    package func isBeside(_ key: RowKey) -> Bool { last?.slot(of: key) != nil }

    /// Whether the last location is valid only until a row of another cluster is requested.
    package var isTransient: Bool { keeper != nil }
}
