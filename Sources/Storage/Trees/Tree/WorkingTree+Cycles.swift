/// Embedded rows that contain each other.
extension WorkingTree {
    /// One row of any class.
    private struct RowInClass: Hashable {
        let id: ClassID
        let key: RowKey
    }

    /// The rows of embedded classes that are their own ancestors, so that no other object owns
    /// them. Each has at most one parent. `schema` says which classes are embedded, and `first`
    /// from which row on a class is examined.
    ///
    /// Needs memory for each row of the classes that can contain themselves.
    package func rowsInCycles(
        _ schema: StoreSchema, from first: (ClassID) -> RowKey = { _ in RowKey(.min) }
    ) -> [(id: ClassID, rows: [RowKey])] {
        var cycles: [(id: ClassID, rows: [RowKey])] = []
        var known: [RowInClass: Bool] = [:]
        for id in schema.classes.indices.map({ ClassID($0) }) where schema.embedsItself(id) {
            var rows: [RowKey] = []
            forEachCluster(id, from: first(id)) { keys in
                for key in keys where !isOwned(RowInClass(id: id, key: key), schema, &known) {
                    rows.append(key)
                }
            }
            if !rows.isEmpty { cycles.append((id, rows)) }
        }
        return cycles
    }

    /// Whether an object that is not embedded owns a row, directly or through others.
    private func isOwned(
        _ row: RowInClass, _ schema: StoreSchema, _ known: inout [RowInClass: Bool]
    ) -> Bool {
        var path: [RowInClass] = []
        var isOwned = false
        var next: RowInClass? = row
        while let row = next {
            if !schema[row.id].isEmbedded {
                isOwned = true
                break
            }
            // A row on this path counts as not owned until the end of the path is known, so that a
            // cycle terminates.
            if let answer = known[row] {
                isOwned = answer
                break
            }
            known[row] = false
            path.append(row)
            next = parent(of: row)
        }
        if isOwned { for row in path { known[row] = true } }
        return isOwned
    }

    private func parent(of row: RowInClass) -> RowInClass? {
        for link in schema.incoming(row.id) {
            var parent: RowKey?
            flushedView.backlinks(to: row.key, origin: link.origin, column: link.column)
                .forEach { parent = $0 }
            if let parent { return RowInClass(id: link.origin, key: parent) }
        }
        return nil
    }
}

extension StoreSchema {
    /// Whether an object of an embedded class may contain another one of that class.
    fileprivate func embedsItself(_ id: ClassID) -> Bool {
        var seen: Set<ClassID> = []
        var waiting = self[id].isEmbedded ? [id] : []
        while let next = waiting.popLast() {
            for column in self[next].columns where !column.isRemoved {
                guard let target = column.target, self[target].isEmbedded else { continue }
                if target == id { return true }
                if seen.insert(target).inserted { waiting.append(target) }
            }
        }
        return false
    }
}
