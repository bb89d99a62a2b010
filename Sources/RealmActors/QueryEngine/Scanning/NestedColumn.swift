import Storage

/// Parts of the collection in a column, or of a value of any type that is one.
package struct NestedColumn: Sendable, Hashable {
    let column: Int
    let schema: ColumnSchema
    /// From the column's value inwards; at least one.
    let parts: [QueryElement.Part]

    /// Whether there is at most one value.
    var isSingle: Bool { parts.allSatisfy(\.isSingle) }

    /// The kind of the values; mixed where it can be any.
    var kind: ValueKind {
        if parts.last == .keys { return .string }
        return parts.count == 1 && schema.container != .none ? schema.kind : .mixed
    }

    /// The only value; nil where there is none.
    func value(_ row: RowLocation) -> StoredValue? {
        var found: StoredValue?
        _ = contains(row, reportsMissing: false) { value in
            found = value
            return true
        }
        return found
    }

    /// Whether one of the values passes `test`. One that is missing counts as null if
    /// `reportsMissing`.
    func contains(
        _ row: RowLocation, reportsMissing: Bool, _ test: (StoredValue) -> Bool
    ) -> Bool {
        let (cluster, slot) = (row.cluster, row.slot)
        let walk = NestedWalk(reportsMissing: reportsMissing)
        let rest = parts.dropFirst()
        switch schema.container {
        case .none:
            return walk.contains(cluster.value(column, slot, schema), parts[...], test)
        case .map:
            let map = cluster.map(column, slot, schema)
            switch parts[0] {
            case .key(let key): return walk.reaches(map.value(forKey: key), rest, test)
            case .index: return walk.reaches(nil, rest, test)
            case .all: return walk.containsAny(of: map.values, rest, test)
            case .keys: return walk.containsAny(of: map.keys, rest, test)
            }
        case .list, .set:
            let elements = cluster.sequence(column, slot, schema)
            switch parts[0] {
            case .index(let index):
                let position = index < 0 ? elements.count + index : index
                let isInside = position >= 0 && position < elements.count
                return walk.reaches(isInside ? elements[position] : nil, rest, test)
            case .all: return walk.containsAny(of: elements, rest, test)
            case .key, .keys: return walk.reaches(nil, rest, test)
            }
        }
    }
}

/// Traverses values of any type.
private struct NestedWalk {
    let reportsMissing: Bool

    /// Continues from a value, which may be missing.
    func reaches(
        _ value: StoredValue?, _ parts: ArraySlice<QueryElement.Part>,
        _ test: (StoredValue) -> Bool
    ) -> Bool {
        guard let value else { return reportsMissing && test(.null) }
        return contains(value, parts, test)
    }

    func containsAny(
        of elements: SequenceView, _ parts: ArraySlice<QueryElement.Part>,
        _ test: (StoredValue) -> Bool
    ) -> Bool {
        for index in 0..<elements.count where contains(elements[index], parts, test) { return true }
        return false
    }

    func contains(
        _ value: StoredValue, _ parts: ArraySlice<QueryElement.Part>,
        _ test: (StoredValue) -> Bool
    ) -> Bool {
        guard let part = parts.first else { return test(value) }
        let rest = parts.dropFirst()
        switch (value, part) {
        case (.list(_, let values), .index(let index)):
            let position = index < 0 ? values.count + index : index
            return reaches(values.indices.contains(position) ? values[position] : nil, rest, test)
        case (.list(_, let values), .all):
            return values.contains { contains($0, rest, test) }
        case (.dictionary(_, let entries), .key(let key)):
            let (index, found) = entries.position(of: key)
            return reaches(found ? entries[index].value : nil, rest, test)
        case (.dictionary(_, let entries), .all):
            return entries.contains { contains($0.value, rest, test) }
        case (.dictionary(_, let entries), .keys):
            return entries.contains { contains(.string($0.key), rest, test) }
        case (_, .key), (_, .index): return reaches(nil, rest, test)
        case (_, .all), (_, .keys): return false
        }
    }
}
