/// Makes a tree consistent that was assembled from a history with gaps.
struct SalvageRepair {
    let tree: WorkingTree
    private(set) var droppedRows = 0
    private(set) var droppedLinks = 0

    init(_ tree: WorkingTree) { self.tree = tree }

    private var schema: StoreSchema { tree.schema }

    mutating func run() {
        for index in schema.classes.indices { dropDuplicates(ClassID(index)) }
        for index in schema.classes.indices { sortContainers(ClassID(index)) }
        // Deleting rows removes links to them, but links to missing rows must be removed
        // explicitly.
        for index in schema.classes.indices { dropDanglingLinks(ClassID(index)) }
        for holder in schema.mixedHolders {
            for column in holder.columns { dropDanglingObjects(holder.id, column) }
        }
        while dropOrphans() {}
        _ = tree.takeDelta()
    }

    private func rows(_ id: ClassID) -> [RowKey] {
        let view = tree.view.classView(id)
        var keys: [RowKey] = []
        keys.reserveCapacity(view.count)
        var clusters = view.makeClusterIterator()
        while let cluster = clusters.next() {
            for slot in 0..<cluster.slotCount where cluster.isLive(slot) {
                keys.append(cluster.key(slot))
            }
        }
        return keys
    }

    /// Of rows with the same primary key, or the same values in a unique index, the last one is
    /// kept: the others were deleted, or changed, by a commit that is lost.
    private mutating func dropDuplicates(_ id: ClassID) {
        let columns = schema[id].columns
        if let key = schema[id].primaryKey?.rawValue {
            dropDuplicates(id) { $0.value(key, columns[key]) }
        }
        for index in schema[id].composites {
            let parts = columns[index.rawValue].parts
            if !parts.isUnique { continue }
            dropDuplicates(id) { row -> [UInt8]? in
                if CompositeKey.hasNull(row.cluster, row.slot, parts) { return nil }
                return CompositeKey.withBytes(of: row.cluster, row.slot, parts) { Array($0) }
            }
        }
    }

    /// Rows for which `key` returns nil are not equal to any.
    private mutating func dropDuplicates<Key: Hashable>(
        _ id: ClassID, _ key: (borrowing RowHold) -> Key?
    ) {
        var latest: [Key: RowKey] = [:]
        var duplicates: [RowKey] = []
        let view = tree.view.classView(id)
        for row in rows(id) {
            guard let place = view.locate(row), let found = key(place) else { continue }
            if let older = latest.updateValue(row, forKey: found) { duplicates.append(older) }
        }
        droppedRows += duplicates.count
        tree.delete(id, duplicates)
    }

    /// Sets and the keys of maps must ascend; edits that were applied to other contents than their
    /// own may have broken that.
    private func sortContainers(_ id: ClassID) {
        for (column, columnSchema) in schema[id].columns.enumerated() {
            guard columnSchema.container == .set || columnSchema.container == .map else {
                continue
            }
            for key in rows(id) {
                guard let place = tree.view.classView(id).locate(key) else { continue }
                sort(id, key, column, columnSchema, place.location)
            }
        }
    }

    private func sort(
        _ id: ClassID, _ key: RowKey, _ column: Int, _ schema: ColumnSchema, _ place: RowLocation
    ) {
        let columnID = ColumnID(column)
        if schema.container == .set {
            let values = place.cluster.sequence(column, place.slot, schema).elements
            if values.isAscending { return }
            tree.setRemoveAll(id, key, columnID)
            for value in values { _ = tree.setInsert(value, id, key, columnID) }
            return
        }
        let map = place.cluster.map(column, place.slot, schema)
        let keys = map.keys.elements
        let values = map.values.elements
        if keys.isAscending { return }
        tree.mapRemoveAll(id, key, columnID)
        for (entry, value) in zip(keys, values) {
            guard case .string(let entry) = entry else { continue }
            tree.mapSet(value, forKey: entry, id, key, columnID)
        }
    }

    private mutating func dropDanglingLinks(_ id: ClassID) {
        for (column, columnSchema) in schema[id].columns.enumerated() {
            guard let target = columnSchema.target else { continue }
            for key in rows(id) {
                let view = tree.view
                guard let place = view.classView(id).locate(key) else { continue }
                let targets = view.classView(target)
                var dangling: Set<RowKey> = []
                let (cluster, slot) = (place.location.cluster, place.location.slot)
                cluster.forEachLink(column, slot, columnSchema) { link in
                    if targets.locate(link) == nil { dangling.insert(link) }
                }
                if !dangling.isEmpty { drop(dangling, id, key, column, columnSchema) }
            }
        }
    }

    /// The same for mixed values, whose links refer to rows of any class.
    private mutating func dropDanglingObjects(_ id: ClassID, _ column: Int) {
        let columnSchema = schema[id].columns[column]
        for key in rows(id) {
            let view = tree.view
            guard let place = view.classView(id).locate(key) else { continue }
            var dangling: Set<StoredValue> = []
            place.forEachValue(column, columnSchema) { value in
                value.forEachObject { target, row in
                    let link = StoredValue.object(target, row)
                    if view.present(link).isNull { dangling.insert(link) }
                }
            }
            if !dangling.isEmpty { drop(dangling, id, key, column, columnSchema) }
        }
    }

    private mutating func drop(
        _ links: Set<StoredValue>, _ id: ClassID, _ key: RowKey, _ column: Int,
        _ schema: ColumnSchema
    ) {
        droppedLinks += links.count
        let without = { (value: StoredValue) in
            value.mapObjects { links.contains(.object($0, $1)) ? nil : $1 }
        }
        if schema.container == .none {
            guard let value = tree.locate(id, key)?.value(column, schema) else { return }
            tree.writer(id, key)?.setMixed(column, without(value) ?? .null)
        } else {
            tree.replaceElements(id, key, ColumnID(column), with: without)
        }
    }

    private mutating func drop(
        _ links: Set<RowKey>, _ id: ClassID, _ key: RowKey, _ column: Int, _ schema: ColumnSchema
    ) {
        droppedLinks += links.count
        if schema.container == .none {
            tree.writer(id, key)?.setNull(column)
        } else {
            tree.dropLinks(id, key, ColumnID(column)) { links.contains($0) }
        }
    }

    /// Deletes embedded rows without an owner; true if there were any, which may leave further
    /// orphans.
    private mutating func dropOrphans() -> Bool {
        var found = false
        for index in schema.classes.indices where schema.classes[index].isEmbedded {
            let id = ClassID(index)
            let view = tree.view
            let orphans = rows(id).filter { key in
                schema.incoming(id).allSatisfy {
                    view.backlinks(to: key, origin: $0.origin, column: $0.column).count == 0
                }
            }
            if orphans.isEmpty { continue }
            found = true
            droppedRows += orphans.count
            tree.delete(id, orphans)
        }
        return found
    }
}

extension RowHold {
    /// Calls `body` with each value of the row in a column.
    fileprivate func forEachValue(
        _ column: Int, _ schema: ColumnSchema, _ body: (StoredValue) -> Void
    ) {
        switch schema.container {
        case .none: body(value(column, schema))
        case .list, .set: cluster.sequence(column, slot, schema).forEach(body)
        case .map: cluster.map(column, slot, schema).values.forEach(body)
        }
    }
}

extension SequenceView {
    fileprivate var elements: [StoredValue] {
        var values: [StoredValue] = []
        forEach { values.append($0) }
        return values
    }
}

extension [StoredValue] {
    fileprivate var isAscending: Bool { zip(self, dropFirst()).allSatisfy { $0 < $1 } }
}
