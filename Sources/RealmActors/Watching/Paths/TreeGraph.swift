import Storage

/// The links of a version of the store.
struct TreeGraph: LinkGraph {
    let view: TreeView

    func forEachOrigin(
        of target: RowKey, origin: ClassID, column: ColumnID, _ visit: (RowKey) -> Void
    ) {
        view.backlinks(to: target, origin: origin, column: column).forEach(visit)
    }

    func forEachTarget(
        of row: RowKey, in id: ClassID, column: ColumnID, _ visit: (RowKey) -> Void
    ) {
        guard let location = view.classView(id).locate(row) else { return }
        let schema = view.schema[id].columns[column.rawValue]
        switch schema.container {
        case .none:
            if let target = location.cluster.link(column.rawValue, location.slot) { visit(target) }
        case .list, .set:
            location.cluster.sequence(column.rawValue, location.slot, schema).forEachLink(visit)
        case .map:
            location.cluster.map(column.rawValue, location.slot, schema).values.forEach { value in
                if case .link(let target) = value { visit(target) }
            }
        }
    }

    func isCollection(_ column: ColumnID, of id: ClassID) -> Bool {
        view.schema[id].columns[column.rawValue].container != .none
    }

    func forEachTarget(
        of row: RowKey, in id: ClassID, column: ColumnID, at positions: [Int],
        _ visit: (RowKey) -> Void
    ) {
        guard let location = view.classView(id).locate(row) else { return }
        let (cluster, slot) = (location.cluster, location.slot)
        let schema = view.schema[id].columns[column.rawValue]
        let elements: SequenceView
        switch schema.container {
        case .none: return
        case .list, .set: elements = cluster.sequence(column.rawValue, slot, schema)
        case .map: elements = cluster.map(column.rawValue, slot, schema).values
        }
        let count = elements.count
        for position in positions where position < count {
            if case .link(let target) = elements[position] { visit(target) }
        }
    }
}
