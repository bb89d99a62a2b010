/// Embedded rows that are parts of each other.
extension WorkingTree {
    /// One row of any class.
    private struct RowInClass: Hashable {
        let id: ClassID
        let key: RowKey
    }

    /// The rows of embedded classes that lead, from parent to parent, back to one of them, so that
    /// nothing else has them. Each has at most one parent. `schema` says which classes are
    /// embedded, and `first` from which row on a class is looked at.
    ///
    /// Takes memory for each row of the classes that can be parts of themselves.
    package func rowsInCycles(
        _ schema: StoreSchema, from first: (ClassID) -> RowKey = { _ in RowKey(.min) }
    ) -> [(id: ClassID, rows: [RowKey])] {
        var cycles: [(id: ClassID, rows: [RowKey])] = []
        var known: [RowInClass: Bool] = [:]
        for id in schema.classes.indices.map({ ClassID($0) }) where schema.embedsItself(id) {
            var rows: [RowKey] = []
            forEachCluster(id, from: first(id)) { keys in
                for key in keys where !isHeld(RowInClass(id: id, key: key), schema, &known) {
                    rows.append(key)
                }
            }
            if !rows.isEmpty { cycles.append((id, rows)) }
        }
        return cycles
    }

    /// Whether an object that is not embedded has a row, as its own or in what it has.
    private func isHeld(
        _ row: RowInClass, _ schema: StoreSchema, _ known: inout [RowInClass: Bool]
    ) -> Bool {
        var path: [RowInClass] = []
        var isHeld = false
        var next: RowInClass? = row
        while let row = next {
            if !schema[row.id].isEmbedded {
                isHeld = true
                break
            }
            // A row of this path counts as not held until its end is known, so that a cycle ends.
            if let answer = known[row] {
                isHeld = answer
                break
            }
            known[row] = false
            path.append(row)
            next = parent(of: row)
        }
        if isHeld { for row in path { known[row] = true } }
        return isHeld
    }

    private func parent(of row: RowInClass) -> RowInClass? {
        for link in schema.incoming(row.id) {
            var parent: RowKey?
            settledView.backlinks(to: row.key, origin: link.origin, column: link.column)
                .forEach { parent = $0 }
            if let parent { return RowInClass(id: link.origin, key: parent) }
        }
        return nil
    }
}

extension StoreSchema {
    /// Whether an object of an embedded class may be a part of another one of that class.
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
