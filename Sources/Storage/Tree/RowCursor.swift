/// Finds rows of one class; quick when neighbours are asked for one after another.
package struct RowCursor {
    private let view: ClassView
    private var last: Cluster?

    package init(_ view: ClassView) { self.view = view }

    package mutating func locate(_ key: RowKey) -> RowLocation? {
        if let last, let slot = last.slot(of: key) {
            return RowLocation(cluster: last, slot: slot)
        }
        guard let location = view.locate(key) else { return nil }
        last = location.cluster
        return location
    }
}
