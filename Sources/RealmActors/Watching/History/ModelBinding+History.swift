import Storage

extension ModelMap {
    /// The class of objects in the history, as the realm's models or else the store have it.
    func bindingInHistory(_ id: ClassID) -> ModelBinding { binding(id) ?? dynamicBinding(id) }
}

extension ModelBinding {
    /// The name of a property in Swift; that of its column when the class no longer declares it,
    /// which is empty when a migration has removed it.
    func nameInHistory(_ column: Int) -> String {
        property(ColumnID(column))?.name ?? columns[column].name
    }

    /// What a whole row held, by the names of its properties.
    func values(_ row: [ColumnContents], _ models: ModelMap) -> [String: CommitValue] {
        var values: [String: CommitValue] = [:]
        for (column, contents) in row.enumerated().prefix(columns.count) {
            let name = nameInHistory(column)
            if name.isEmpty { continue }
            values[name] = CommitValue(contents, target: columns[column].target, models)
        }
        return values
    }
}
