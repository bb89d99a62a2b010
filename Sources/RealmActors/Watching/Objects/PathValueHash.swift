import Storage

/// A hash of the values of all properties on a key path from an object, in one version.
///
/// It includes the number of elements of each collection and inverse: otherwise an element that
/// moves from the collection of one row to that of the next would leave the hash unchanged.
enum PathValueHash {
    static func hash(_ path: WatchedPath, of root: RowKey, in view: TreeView) -> Int {
        let graph = TreeGraph(view: view)
        var hasher = Hasher()
        var rows = [root]
        for step in path.steps {
            var next: [RowKey] = []
            for row in rows.once {
                switch step {
                case .column(let column, let id):
                    combine(row, column, id, view, into: &hasher)
                    guard view.schema[id].columns[column.rawValue].target != nil else { continue }
                    graph.forEachTarget(of: row, in: id, column: column) { next.append($0) }
                case .backlinks(let origin, let column):
                    let before = next.count
                    graph.forEachOrigin(of: row, origin: origin, column: column) {
                        hasher.combine($0)
                        next.append($0)
                    }
                    hasher.combine(next.count - before)
                }
            }
            hasher.combine(next.count)
            rows = next
        }
        return hasher.finalize()
    }

    private static func combine(
        _ row: RowKey, _ column: ColumnID, _ id: ClassID, _ view: TreeView,
        into hasher: inout Hasher
    ) {
        guard let location = view.classView(id).locate(row) else { return }
        let schema = view.schema[id].columns[column.rawValue]
        let (cluster, slot) = (location.cluster, location.slot)
        switch schema.container {
        case .none:
            hasher.combine(cluster.value(column.rawValue, slot, schema))
        case .list, .set:
            let elements = cluster.sequence(column.rawValue, slot, schema)
            hasher.combine(elements.count)
            elements.forEach { hasher.combine($0) }
        case .map:
            let map = cluster.map(column.rawValue, slot, schema)
            hasher.combine(map.count)
            map.keys.forEach { hasher.combine($0) }
            map.values.forEach { hasher.combine($0) }
        }
    }
}
