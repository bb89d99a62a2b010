/// The contents of one column of a row, as a value that can be stored elsewhere.
package enum ColumnContents: Hashable, Sendable {
    case value(StoredValue)
    /// The elements of a list or a set.
    case elements([StoredValue])
    /// The entries of a map, by ascending keys.
    case entries(keys: [String], values: [StoredValue])
}

extension ColumnContents {
    /// Whether replacing one with the other changes nothing.
    func isStoredLike(_ other: ColumnContents) -> Bool {
        if case .value(let value) = self, case .value(let other) = other {
            return value.isStoredLike(other)
        }
        if case .elements(let elements) = self, case .elements(let others) = other {
            return elements.elementsEqual(others) { $0.isStoredLike($1) }
        }
        if case .entries(let keys, let values) = self,
            case .entries(let otherKeys, let others) = other
        {
            return keys == otherKeys && values.elementsEqual(others) { $0.isStoredLike($1) }
        }
        return false
    }

    /// The contents of a column of a row, in any version.
    package init(_ row: borrowing RowHold, _ column: ColumnID, _ schema: ColumnSchema) {
        let (cluster, slot, number) = (row.cluster, row.slot, column.rawValue)
        switch schema.container {
        case .none: self = .value(cluster.value(number, slot, schema))
        case .list, .set:
            var elements: [StoredValue] = []
            cluster.sequence(number, slot, schema).forEach { elements.append($0) }
            self = .elements(elements)
        case .map:
            let map = cluster.map(number, slot, schema)
            var (keys, values): ([String], [StoredValue]) = ([], [])
            for index in 0..<map.count { keys.append(map.keys.string(index)) }
            map.values.forEach { values.append($0) }
            self = .entries(keys: keys, values: values)
        }
    }

    /// The same with every link mapped. Links mapped to nil are removed from lists and sets.
    package func mapLinks(
        of column: ColumnSchema, _ target: (ClassID, RowKey) -> RowKey?
    ) -> ColumnContents {
        func mapped(_ value: StoredValue) -> StoredValue? {
            guard case .link(let key) = value else { return value.mapObjects(target) }
            return column.target.flatMap { target($0, key) }.map { .link($0) }
        }
        switch self {
        case .value(let value): return .value(mapped(value) ?? .null)
        case .elements(let elements): return .elements(elements.compactMap(mapped))
        case .entries(let keys, let values):
            return .entries(keys: keys, values: values.map { mapped($0) ?? .null })
        }
    }
}

extension WorkingTree {
    /// The contents of a column of a row.
    package func contents(
        _ id: ClassID, _ key: RowKey, _ column: ColumnID, _ schema: ColumnSchema
    ) -> ColumnContents {
        guard let row = locate(id, key) else { return .elements([]) }
        return ColumnContents(row, column, schema)
    }

    /// Writes contents of another row or column. In lists, sets and maps, only differences are
    /// marked as changed.
    package func write(
        _ contents: ColumnContents, _ id: ClassID, _ key: RowKey, _ column: ColumnID
    ) {
        let schema = schema[id].columns[column.rawValue]
        switch contents {
        case .value(let value): writer(id, key)?.set(column.rawValue, value)
        case .elements(let elements):
            guard case .elements(let old) = self.contents(id, key, column, schema) else { return }
            if schema.container == .set { return write(set: elements, over: old, id, key, column) }
            write(list: elements, over: old, id, key, column)
        case .entries(let keys, let values):
            guard
                case .entries(let oldKeys, let oldValues) = self.contents(id, key, column, schema)
            else { return }
            let before = Dictionary(mapKeys: oldKeys, oldValues)
            let wanted = keys.asMapKeys
            for removed in oldKeys where !wanted.contains(.string(removed)) {
                _ = mapRemove(forKey: removed, id, key, column)
            }
            for (entry, value) in zip(keys, values) {
                if let old = before[.string(entry)], old.isStoredLike(value) { continue }
                mapSet(value, forKey: entry, id, key, column)
            }
        }
    }

    private func write(
        set elements: [StoredValue], over old: [StoredValue], _ id: ClassID, _ key: RowKey,
        _ column: ColumnID
    ) {
        let (before, after) = (Set(old), Set(elements))
        for element in old where !after.holds(element) {
            _ = setRemove(element, id, key, column)
        }
        for element in elements where !before.holds(element) {
            _ = setInsert(element, id, key, column)
        }
    }

    /// Lists up to this length are compared element by element, longer ones from both ends.
    private static let comparedMax = 512

    private func write(
        list elements: [StoredValue], over old: [StoredValue], _ id: ClassID, _ key: RowKey,
        _ column: ColumnID
    ) {
        var start = 0
        let shared = min(old.count, elements.count)
        while start < shared, old[start].isStoredLike(elements[start]) { start += 1 }
        var (oldEnd, newEnd) = (old.count, elements.count)
        while oldEnd > start, newEnd > start,
            old[oldEnd - 1].isStoredLike(elements[newEnd - 1])
        {
            oldEnd -= 1
            newEnd -= 1
        }
        let isShort = max(oldEnd, newEnd) - start <= Self.comparedMax
        guard isShort else {
            listRemove(at: Array(start..<oldEnd), id, key, column)
            for index in start..<newEnd {
                listInsert(elements[index], at: index, id, key, column)
            }
            return
        }
        let changes = elements[start..<newEnd].difference(from: old[start..<oldEnd]) {
            $0.isStoredLike($1)
        }
        for change in changes {
            switch change {
            case .remove(let offset, _, _): listRemove(at: start + offset, id, key, column)
            case .insert(let offset, let element, _):
                listInsert(element, at: start + offset, id, key, column)
            }
        }
    }
}

extension Set<StoredValue> {
    /// Whether a value is there, or one that is stored like it: NaN equals nothing.
    fileprivate func holds(_ value: StoredValue) -> Bool {
        contains(value) || value.isNotANumber && contains { $0.isStoredLike(value) }
    }
}
