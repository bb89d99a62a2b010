import Storage

extension ModelMap {
    /// The binding of a class in the history: that of the realm's models, else that of the stored
    /// schema.
    func bindingInHistory(_ id: ClassID) -> ModelBinding { binding(id) ?? dynamicBinding(id) }
}

extension ModelBinding {
    /// The name of a property in Swift. If the class no longer declares it, that of its column,
    /// which is empty when a migration has removed it.
    func nameInHistory(_ column: Int) -> String {
        property(ColumnID(column))?.name ?? columns[column].name
    }

    /// The values of a row, by the names of its properties.
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
