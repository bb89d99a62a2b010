/// Brings the schema of the models together with the stored one.
package enum SchemaMerge {
    /// The stored schema with the classes and columns that the models add, or every difference that
    /// only a migration could bridge.
    package static func merge(
        stored: StoreSchema, models: StoreSchema
    ) -> Result<StoreSchema, SchemaDifferences> {
        var classes = stored.classes
        var numbers: [ClassID] = []
        for model in models.classes {
            if let id = stored.classID(named: model.name) {
                numbers.append(id)
            } else {
                numbers.append(ClassID(classes.count))
                classes.append(
                    ClassSchema(name: model.name, isEmbedded: model.isEmbedded, columns: []))
            }
        }
        var differences: [String] = []
        for (model, id) in zip(models.classes, numbers) {
            let isNew = id.rawValue >= stored.classes.count
            var merged = classes[id.rawValue]
            var columns = model.columns
            for index in columns.indices {
                columns[index].target = columns[index].target.map { numbers[$0.rawValue] }
            }
            if !isNew { differences += compare(merged, model, columns, classes) }
            for column in columns where merged.column(named: column.name) == nil {
                merged.columns.append(column)
            }
            if isNew { merged.primaryKey = model.primaryKey }
            classes[id.rawValue] = merged
        }
        if !differences.isEmpty { return .failure(SchemaDifferences(descriptions: differences)) }
        return .success(StoreSchema(classes: classes))
    }

    private static func compare(
        _ stored: ClassSchema, _ model: ClassSchema, _ columns: [ColumnSchema],
        _ classes: [ClassSchema]
    ) -> [String] {
        var differences: [String] = []
        let name = stored.name
        if stored.isEmbedded != model.isEmbedded {
            differences.append(
                "Class '\(name)' was \(stored.isEmbedded ? "embedded" : "top-level").")
        }
        let oldKey = stored.primaryKey.map { stored.columns[$0.rawValue].name }
        let newKey = model.primaryKey.map { model.columns[$0.rawValue].name }
        if oldKey != newKey {
            differences.append(
                "The primary key of class '\(name)' was \(oldKey ?? "none") and is "
                    + "\(newKey ?? "none").")
        }
        for column in stored.columns where model.column(named: column.name) == nil {
            differences.append("Property '\(name).\(column.name)' has been removed.")
        }
        for column in columns {
            guard let id = stored.column(named: column.name) else { continue }
            let old = stored.columns[id.rawValue]
            if old != column {
                differences.append(
                    "Property '\(name).\(column.name)' was \(describe(old, classes)) and is "
                        + "\(describe(column, classes)).")
            }
        }
        return differences
    }

    private static func describe(_ column: ColumnSchema, _ classes: [ClassSchema]) -> String {
        var text = column.isNullable ? "optional " : ""
        if column.isIndexed { text += "indexed " }
        if column.container != .none { text += "\(column.container) of " }
        text += "\(column.kind)"
        if let target = column.target, target.rawValue < classes.count {
            text += " to '\(classes[target.rawValue].name)'"
        }
        return text
    }
}

/// What keeps a stored schema and the models apart.
package struct SchemaDifferences: Error, Sendable, Hashable {
    package let descriptions: [String]
}
