import Foundation

/// Migration of all rows of a class: a cluster at a time, so that the transaction can spill in
/// between.
extension WorkingTree {
    /// Calls `body` with the keys of each cluster of a class, in order, from `first` on. It may
    /// write and delete rows; those that it creates are not visited. Ends early if the transaction
    /// cannot be committed any more, see ``requireSpilled()``.
    package func forEachCluster(
        _ id: ClassID, from first: RowKey = RowKey(.min), _ body: ([RowKey]) throws -> Void
    ) rethrows {
        let end = view.classView(id).nextKey
        var next = first
        while next < end, spillRefusal == nil {
            var clusters = ClusterIterator(root: rows(id).root, from: next.rawValue)
            var keys: [RowKey] = []
            while keys.isEmpty, let cluster = clusters.next() {
                keys = (0..<cluster.slotCount).lazy.filter { cluster.isLive($0) }
                    .map { cluster.key($0) }.filter { $0 >= next && $0 < end }
            }
            guard let last = keys.last else { return }
            try body(keys)
            next = RowKey(last.rawValue + 1)
            spillIfDue()
        }
    }

    /// Spills full clusters, if the transaction has enough of them.
    package func spillIfDue() {
        if account.byteCount > spillMark { spillFilled() }
    }

    /// How many rows a class has.
    package func count(_ id: ClassID) -> Int { rows(id).count }

    /// Empties columns, which the schema must no longer name, and their indexes.
    package func clear(_ id: ClassID, _ columns: [ColumnID]) {
        flushPending()
        let state = states[id.rawValue]
        forEachCluster(id) { keys in
            guard let first = keys.first, hasContents(id, first, columns),
                let cluster = tree(state).uniqueCluster(for: first.rawValue)
            else { return }
            for column in columns where column.rawValue < cluster.columnCount {
                cluster.cell(column.rawValue).replace(with: nil)
                cluster.resetBits(column.rawValue, to: state.hasNullBits(column.rawValue))
            }
            forgetRecent()
        }
        let root = uniqueRoot(id)
        for column in columns { root.index(column.rawValue).replace(with: nil) }
        forgetRecent()
    }

    /// Switches to the schema of a commit record, before its values are applied: clears what a
    /// migration has removed, which the record does not contain.
    func replay(_ schema: StoreSchema) {
        let before = self.schema
        adapt(to: schema)
        for (index, old) in before.classes.enumerated() {
            let columns = schema.classes[index].columns
            let removed = old.columns.indices.filter {
                !old.columns[$0].isRemoved && columns[$0].isRemoved
            }
            if !removed.isEmpty { clear(ClassID(index), removed.map { ColumnID($0) }) }
        }
    }

    /// Empties the columns that the schema has removed.
    func clearRemoved() {
        for (index, entry) in schema.classes.enumerated() {
            let removed = entry.columns.indices.filter {
                entry.columns[$0].isRemoved && !entry.columns[$0].isComposite
            }
            if !removed.isEmpty { clear(ClassID(index), removed.map { ColumnID($0) }) }
        }
    }

    /// Whether any of the columns has contents in the cluster of a row.
    private func hasContents(_ id: ClassID, _ key: RowKey, _ columns: [ColumnID]) -> Bool {
        let state = states[id.rawValue]
        guard let row = locate(id, key) else { return false }
        let cluster = row.cluster
        return columns.contains { column in
            let number = column.rawValue
            guard number < cluster.columnCount else { return false }
            let empty: UInt64 = state.hasNullBits(number) ? ~0 : 0
            return !cluster.cell(number).isEmpty
                || (0..<4).contains { cluster.bitsWord(number, $0) != empty }
        }
    }

    /// Copies the values of columns to other columns of their class that can hold them, all as they
    /// were before the first write. Only rows below `end` are copied.
    package func transfer(
        _ transfers: [SchemaPlan.Transfer], of id: ClassID, below end: RowKey = RowKey(.max)
    ) {
        let columns = schema[id].columns
        forEachCluster(id) { keys in
            for key in keys where key < end {
                let found = transfers.map {
                    contents(id, key, $0.source, columns[$0.source.rawValue])
                }
                for (transfer, contents) in zip(transfers, found) {
                    write(contents, id, key, transfer.target)
                }
            }
        }
    }

    /// Whether the rows below `end`, and no others, exist and have equal contents in both columns.
    package func isCopy(
        _ id: ClassID, _ a: ColumnID, _ b: ColumnID, below end: RowKey
    ) -> Bool {
        let columns = schema[id].columns
        var isCopy = true
        forEachCluster(id) { keys in
            isCopy =
                isCopy
                && keys.allSatisfy { key in
                    key < end
                        && contents(id, key, a, columns[a.rawValue])
                            .isStoredLike(contents(id, key, b, columns[b.rawValue]))
                }
        }
        return isCopy
    }

    /// Resets a column of a row to its unwritten state.
    package func reset(_ id: ClassID, _ key: RowKey, _ column: ColumnID) {
        let schema = self.schema[id].columns[column.rawValue]
        let empty: ColumnContents =
            switch schema.container {
            case .none: .value(schema.isNullable ? .null : .zero(schema.kind))
            case .list, .set: .elements([])
            case .map: .entries(keys: [], values: [])
            }
        write(empty, id, key, column)
    }

    /// Integers of a column that are out of the range of its type: their number, and up to `limit`
    /// of them. O(elements).
    package func outOfRangeIntegers(
        _ id: ClassID, _ column: ColumnID, limit: Int
    ) -> (count: Int, values: [Int64]) {
        let schema = self.schema[id].columns[column.rawValue]
        let bounds = schema.integers.bounds
        var found: (count: Int, values: [Int64]) = (0, [])
        func check(_ value: StoredValue) {
            guard case .int(let number) = value, !bounds.contains(number) else { return }
            found.count += 1
            if found.values.count < limit { found.values.append(number) }
        }
        var clusters = view.classView(id).makeClusterIterator()
        while let cluster = clusters.next() {
            for slot in 0..<cluster.slotCount where cluster.isLive(slot) {
                switch schema.container {
                case .none: check(cluster.value(column.rawValue, slot, schema))
                case .list, .set:
                    cluster.sequence(column.rawValue, slot, schema).forEach(check)
                case .map: cluster.map(column.rawValue, slot, schema).values.forEach(check)
                }
            }
        }
        return found
    }

    /// Values that several rows have as primary key, with their number; up to `limit` of them.
    /// O(rows).
    package func repeatedPrimaryKeys(
        _ id: ClassID, limit: Int
    ) -> [(value: StoredValue, count: Int)] {
        guard let column = schema[id].primaryKey else { return [] }
        let view = view.classView(id)
        let schema = self.schema[id].columns[column.rawValue]
        guard let root = view.root.indexRoot(column.rawValue) else { return [] }
        var found: [(value: StoredValue, count: Int)] = []
        var run: (entry: IndexEntry, value: StoredValue?, count: Int)?
        func value(_ entry: IndexEntry) -> StoredValue {
            view.locate(RowKey(entry.row))?.value(column.rawValue, schema) ?? .null
        }
        IndexReader.forEach(root, 0..<IndexReader.count(root)) { entry in
            if let last = run, last.entry.key == entry.key {
                let known = last.value ?? value(last.entry)
                if known == value(entry) {
                    run = (entry, known, last.count + 1)
                    return true
                }
            }
            if let last = run, last.count > 1, let value = last.value {
                found.append((value, last.count))
            }
            run = (entry, nil, 1)
            return found.count < limit
        }
        if let last = run, last.count > 1, let value = last.value, found.count < limit {
            found.append((value, last.count))
        }
        return found
    }
}

extension Cluster {
    /// Sets the bits of all slots of a column.
    fileprivate func resetBits(_ column: Int, to bit: Bool) {
        (cell(column).raw + Cluster.bitsOffset)
            .initializeMemory(as: UInt8.self, repeating: bit ? 0xFF : 0, count: 32)
    }
}

extension WorkingTree {
    /// Whether the running transaction has changed anything of a class.
    package func hasChanged(_ id: ClassID) -> Bool {
        delta.classes[id.rawValue].map { !$0.isEmpty } ?? false
    }

    /// Whether the running transaction has written to a column, or has created rows with it.
    package func hasWritten(_ id: ClassID, _ column: ColumnID) -> Bool {
        guard let marks = delta.classes[id.rawValue] else { return false }
        return marks.hasCreated || !marks.touchedRows(column.rawValue).isEmpty
            || marks.edits.keys.contains { $0.column == column }
    }

    /// Makes the first row that links to a row its only parent, and gives every other one a copy.
    /// False if no row links to it. `schema` says which classes are embedded.
    ///
    /// - Throws: ``StorageError/invalid(_:)`` if the row would contain itself.
    package func enforceSingleParent(
        _ id: ClassID, _ key: RowKey, _ schema: StoreSchema
    ) throws(StorageError) -> Bool {
        var hasParent = false
        for link in self.schema.incoming(id) {
            let backlinks = view.backlinks(to: key, origin: link.origin, column: link.column)
            var origins: [RowKey] = []
            backlinks.forEach { origins.append($0) }
            for origin in origins {
                if hasParent {
                    let copy = try duplicate(id, key, schema)
                    replaceLink(link, of: origin, to: key, with: copy)
                }
                hasParent = true
            }
        }
        return hasParent
    }

    /// A step of copying a row with the embedded rows below it.
    private enum CopyStep {
        case fill(ClassID, RowKey, from: RowKey)
        case exit(ClassID, RowKey)
    }

    /// A new row with the contents of `key`, and copies of the embedded rows that it owns, through
    /// chains of any length.
    private func duplicate(
        _ id: ClassID, _ key: RowKey, _ schema: StoreSchema
    ) throws(StorageError) -> RowKey {
        let made = createRow(id)
        var steps = [CopyStep.fill(id, made, from: key)]
        var owners: [ClassID: Set<RowKey>] = [:]
        while let step = steps.popLast() {
            switch step {
            case .exit(let id, let key): owners[id]?.remove(key)
            case .fill(let id, let copy, let key):
                guard owners[id, default: []].insert(key).inserted else {
                    throw partOfItself(id)
                }
                steps.append(.exit(id, key))
                fill(copy, of: id, from: key, schema, &steps)
            }
        }
        return made
    }

    /// Copies the contents of a row, and adds the steps for the embedded rows below it.
    private func fill(
        _ copy: RowKey, of id: ClassID, from key: RowKey, _ schema: StoreSchema,
        _ steps: inout [CopyStep]
    ) {
        for (index, column) in self.schema[id].columns.enumerated() where !column.isRemoved {
            var contents = contents(id, key, ColumnID(index), column)
            if let target = column.target, schema[target].isEmbedded {
                contents = contents.mapLinks(of: column) { target, row in
                    let below = createRow(target)
                    steps.append(.fill(target, below, from: row))
                    return below
                }
            }
            write(contents, id, copy, ColumnID(index))
        }
    }

    private func partOfItself(_ id: ClassID) -> StorageError {
        .invalid(
            "Class '\(schema[id].name)' cannot become embedded: links lead from an object of it"
                + " back to that object, which would be a part of itself, and cannot be copied for"
                + " another parent. Set one of these links to nil in the migration.")
    }

    /// Redirects one of the links of a row.
    private func replaceLink(
        _ link: IncomingLink, of origin: RowKey, to key: RowKey, with other: RowKey
    ) {
        let column = schema[link.origin].columns[link.column.rawValue]
        // The last one, since the first one stays.
        let contents = contents(link.origin, origin, link.column, column)
        let count = contents.linkCount(to: key)
        var seen = 0
        let changed = contents.mapLinks(of: column) { _, target in
            guard target == key else { return target }
            seen += 1
            return seen == count ? other : target
        }
        write(changed, link.origin, origin, link.column)
    }
}

extension ColumnContents {
    /// The number of the links that refer to a row.
    fileprivate func linkCount(to key: RowKey) -> Int {
        let link = StoredValue.link(key)
        return switch self {
        case .value(let value): value == link ? 1 : 0
        case .elements(let elements): elements.count { $0 == link }
        case .entries(_, let values): values.count { $0 == link }
        }
    }
}
