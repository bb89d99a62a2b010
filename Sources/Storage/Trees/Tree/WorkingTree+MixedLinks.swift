/// Links within values of any type. They have no backlinks: the root of a class records which
/// classes they may link to, and deleting rows of those scans every value of that class.
extension WorkingTree {
    /// Records the classes that a value links to in the root of its class.
    func noteTargets(of value: StoredValue, _ state: ClassState) {
        let found = value.mixedTargets
        if found.isEmpty { return }
        let root = uniqueRoot(state.id)
        var targets = root.mixedTargets
        targets.formUnion(found)
        root.mixedTargets = targets
    }

    /// Removes links to deleted rows from the values of any type of one class, in one pass: values
    /// become null, and are removed from sets.
    func dropMixedLinks(_ holder: MixedHolder, _ deleted: [ClassID: RowsToDelete]) {
        var targets = MixedTargets.none
        for id in deleted.keys { targets.insert(id) }
        guard flushedView.classView(holder.id).root.mixedTargets.mayLead(to: targets) else {
            return
        }
        let scan = scan(holder, deleted)
        for place in scan.places { drop(place, holder.id, deleted) }
        let root = uniqueRoot(holder.id)
        if root.mixedTargets != scan.others { root.mixedTargets = scan.others }
    }

    private struct MixedPlace {
        let key: RowKey
        let column: Int
    }

    /// The locations of values that link to deleted rows, and the classes that all other values
    /// link to.
    private func scan(
        _ holder: MixedHolder, _ deleted: [ClassID: RowsToDelete]
    ) -> (places: [MixedPlace], others: MixedTargets) {
        var places: [MixedPlace] = []
        var others = MixedTargets.none
        var clusters = flushedView.classView(holder.id).makeClusterIterator()
        while let cluster = clusters.next() {
            for column in holder.columns where column < cluster.columnCount {
                if cluster.cell(column).isEmpty { continue }
                let schema = schema[holder.id].columns[column]
                for slot in 0..<cluster.slotCount where cluster.isLive(slot) {
                    let key = cluster.key(slot)
                    if deleted.contain(holder.id, key) { continue }
                    var linksToDeleted = false
                    cluster.forEachObject(column, slot, schema) { id, target in
                        if deleted.contain(id, target) {
                            linksToDeleted = true
                        } else {
                            others.insert(id)
                        }
                    }
                    if linksToDeleted { places.append(MixedPlace(key: key, column: column)) }
                }
            }
        }
        return (places, others)
    }

    private func drop(_ place: MixedPlace, _ id: ClassID, _ deleted: [ClassID: RowsToDelete]) {
        let schema = schema[id].columns[place.column]
        let without = { (value: StoredValue) in
            value.mapObjects { deleted.contain($0, $1) ? nil : $1 }
        }
        if schema.container == .none {
            guard let row = locate(id, place.key) else { return }
            let value = row.value(place.column, schema)
            writer(id, place.key)?.setMixed(place.column, without(value) ?? .null)
        } else {
            replaceElements(id, place.key, ColumnID(place.column), with: without)
        }
    }
}

extension [ClassID: RowsToDelete] {
    fileprivate func contain(_ id: ClassID, _ key: RowKey) -> Bool {
        self[id]?.set.contains(key) ?? false
    }
}

extension Cluster {
    /// Calls `body` with each object that a row's values of any type in `column` link to.
    fileprivate func forEachObject(
        _ column: Int, _ slot: Int, _ schema: ColumnSchema, _ body: (ClassID, RowKey) -> Void
    ) {
        switch schema.container {
        case .none:
            guard MixedCodec.mayHoldObjects(bytes(column, slot)) else { return }
            value(column, slot, schema).forEachObject(body)
        case .list, .set: sequence(column, slot, schema).forEach { $0.forEachObject(body) }
        case .map: map(column, slot, schema).values.forEach { $0.forEachObject(body) }
        }
    }
}
