import Storage

extension PagePosition {
    /// The condition on rows after the position that an index on the first key, or a composite
    /// index with that key, can answer.
    var conditions: IndexConditions {
        guard let key = keys.first, key.path.steps.isEmpty,
            key.measure == .value || key.measure == .collated,
            case .value(let column, let schema) = key.path.end,
            schema.hasValueIndex || schema.canBeIndexPart,
            let value = values[0], !value.isNotANumber
        else { return .unknown }
        let interval: IndexInterval =
            key.ascending
            ? .range(from: value.isNull ? .start : .before(value), to: .end)
            : .range(from: .start, to: .after(value))
        return IndexConditions(
            behind: self,
            IndexSeek(
                ColumnID(column), [interval],
                hasIndex: schema.hasValueIndex && key.measure == .value,
                isCollated: key.measure == .collated))
    }

    /// Where it is in the index of a property that alone has its order; nil where none has.
    func ranks(_ column: ColumnID, _ view: ClassView, ascending: Bool) -> EntryRanks? {
        guard keys.count == 1, keys[0].ascending == ascending,
            keys[0].isValue(of: column, isCollated: false), let value = values[0]
        else { return nil }
        return view.ranks(column, of: [value], row)
    }

    /// The rows after it.
    var filter: RowFilter { RowFilter(predicate: .behind(self), conditions: conditions) }
}
