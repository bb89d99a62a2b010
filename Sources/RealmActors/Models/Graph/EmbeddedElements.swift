import Storage

/// The embedded objects in a list or map of a live object, as rows.
struct EmbeddedElements {
    private let owner: ObjectBase
    private let property: PropertyBinding
    private let graph: ObjectGraph
    private let target: ClassID
    /// The binding of their class.
    let model: ModelBinding

    /// Nil for every other property, and for one whose elements are values of a custom type.
    init?(_ owner: ObjectBase, _ property: DiscoveredProperty, _ graph: ObjectGraph) {
        guard owner.__state == AccessorState.live, let ownerModel = owner.__model,
            let binding = ownerModel.property(named: property.name),
            binding.schema.container == .list || binding.schema.container == .map,
            let target = binding.schema.target, graph.tree.schema[target].isEmbedded,
            let element = (property.type as? any ElementsType.Type)?.element,
            ((element as? any OptionalType.Type)?.wrapped ?? element) is ObjectBase.Type,
            let model = graph.models.binding(target, like: ownerModel)
        else { return nil }
        self.owner = owner
        self.property = binding
        self.graph = graph
        self.target = target
        self.model = model
    }

    var isMap: Bool { property.schema.container == .map }

    private var column: Int { property.column.rawValue }
    private var classID: ClassID { owner.__model.classID }

    /// The rows of a list.
    var rows: [RowKey] {
        guard let place = graph.tree.locate(classID, owner.__key) else { return [] }
        var rows: [RowKey] = []
        place.cluster.sequence(column, place.slot, property.schema).forEachLink { rows.append($0) }
        return rows
    }

    /// The keys of a map, ascending, and their rows.
    var entries: [(key: String, row: RowKey?)] {
        guard let place = graph.tree.locate(classID, owner.__key) else { return [] }
        let map = place.cluster.map(column, place.slot, property.schema)
        var entries: [(key: String, row: RowKey?)] = []
        for index in 0..<map.count {
            var row: RowKey?
            if case .link(let key) = map.values[index] { row = key }
            entries.append((map.keys.string(index), row))
        }
        return entries
    }

    /// The row of a key in a map.
    private func row(forKey key: String) -> RowKey? {
        guard let place = graph.tree.locate(classID, owner.__key) else { return nil }
        let map = place.cluster.map(column, place.slot, property.schema)
        guard case .link(let row)? = map.value(forKey: key) else { return nil }
        return row
    }

    /// A live accessor for one of the rows.
    func object(_ row: RowKey) -> ObjectBase {
        model.makeAccessor(live: graph.liveContext, row)
    }

    /// Runs a change that inserts or removes rows.
    func change(_ body: () throws(RealmError) -> Void) throws(RealmError) {
        guard owner._prepareWrite(column) else { throw owner._invalidated }
        defer { owner._finishWrite(column) }
        try body()
    }

    func append(_ row: RowKey) {
        graph.tree.listAppend(contentsOf: [.link(row)], classID, owner.__key, property.column)
    }

    /// Deletes rows, which removes them from the list.
    func delete(_ rows: [RowKey]) { graph.tree.delete(target, rows) }

    /// Sets the row of a key, or nil; its previous row is deleted.
    func set(_ row: RowKey?, forKey key: String) {
        let former = self.row(forKey: key)
        graph.tree.mapSet(
            row.map { .link($0) } ?? .null, forKey: key, classID, owner.__key, property.column)
        if let former { delete([former]) }
    }

    /// Removes a key, and deletes its row.
    func remove(_ key: String) {
        if let former = row(forKey: key) { delete([former]) }
        _ = graph.tree.mapRemove(forKey: key, classID, owner.__key, property.column)
    }
}
