import Storage

/// Decides whether an observed property differs between two states of a realm.
///
/// Compares values, not locations: the same list may be at another place after a checkpoint.
struct ObservedComparison {
    let before: TreeView
    let after: TreeView
    let models: ModelMap

    /// The properties that differ, of those given in the order of their rows.
    ///
    /// - Complexity: linear in the properties, with a few instructions for each whose cluster, or
    ///   the index of whose inverse, is unchanged.
    func differing(_ properties: [ObservedProperty]) -> [ObservedProperty] {
        var differing: [ObservedProperty] = []
        var rest = properties[...]
        while let id = rest.first?.classID {
            var old = RowCursor(before.classView(id))
            var new = RowCursor(after.classView(id))
            while let property = rest.first, property.classID == id {
                rest.removeFirst()
                let (was, has) = (old.locate(property.key), new.locate(property.key))
                if differs(property, was, has) { differing.append(property) }
            }
        }
        return differing
    }

    private func differs(
        _ property: ObservedProperty, _ old: RowLocation?, _ new: RowLocation?
    ) -> Bool {
        guard let old else { return new != nil }
        guard let new else { return true }
        if property.column == ObservedProperty.existence { return false }
        if let inverse = models.binding(property.classID)?.inverse(property.column) {
            return backlinksDiffer(inverse, of: property.key)
        }
        // The row has not changed if its cluster was not written.
        if old.cluster == new.cluster, old.slot == new.slot { return false }
        let columns = before.schema[property.classID].columns
        guard property.column < columns.count else { return false }
        let schema = columns[property.column]
        if schema.container == .none {
            return !old.cluster.value(property.column, old.slot, schema)
                .isStoredLike(new.cluster.value(property.column, new.slot, schema))
        }
        let isSame =
            old.cluster.containerIdentity(property.column, old.slot)
            == new.cluster.containerIdentity(property.column, new.slot)
        if isSame { return false }
        guard schema.container == .map else {
            return Self.differ(
                old.cluster.sequence(property.column, old.slot, schema),
                new.cluster.sequence(property.column, new.slot, schema))
        }
        let oldMap = old.cluster.map(property.column, old.slot, schema)
        let newMap = new.cluster.map(property.column, new.slot, schema)
        return Self.differ(oldMap.keys, newMap.keys) || Self.differ(oldMap.values, newMap.values)
    }

    private func backlinksDiffer(_ inverse: PropertyBinding, of key: RowKey) -> Bool {
        guard let origin = inverse.origin else { return false }
        let old = before.backlinks(to: key, origin: origin, column: inverse.column)
        let new = after.backlinks(to: key, origin: origin, column: inverse.column)
        return !old.hasSameRows(as: new)
    }

    private static func differ(_ old: SequenceView, _ new: SequenceView) -> Bool {
        guard old.count == new.count else { return true }
        var next = old.elements.makeIterator()
        do {
            try new.forEach { element in
                guard let former = next.next(), former.isStoredLike(element) else {
                    throw Difference()
                }
            }
            return false
        } catch {
            return true
        }
    }

    private struct Difference: Error {}
}
