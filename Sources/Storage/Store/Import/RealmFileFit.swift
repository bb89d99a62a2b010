/// The mapping of the classes and properties of a `.realm` file to those of a store, by name.
package struct RealmFileFit: Sendable {
    /// The classes of the store, in the order of the file's.
    let classes: [ClassID]
    /// The columns of each of these, in the order of the file's properties.
    let columns: [[ColumnID]]
    /// Readable descriptions of all reasons why the store cannot hold the file's contents. If there
    /// is any, the other properties are not valid.
    package let problems: [String]

    /// `file` is the schema of the file.
    package init(_ file: StoreSchema, in schema: StoreSchema) {
        problems = Self.problems(
            SchemaPlan(stored: file, models: schema.withoutComposites), schema)
        classes = file.classes.compactMap { schema.classID(named: $0.name) }
        columns = file.classes.map { entry in
            guard let id = schema.classID(named: entry.name) else { return [] }
            return entry.columns.compactMap { schema[id].column(named: $0.name) }
        }
    }

    private static func problems(_ plan: SchemaPlan, _ schema: StoreSchema) -> [String] {
        let absent = plan.stored.classes.filter { schema.classID(named: $0.name) == nil }
        return absent.map { "Class '\($0.name)' is not in the realm." }
            + plan.differences.compactMap { problem($0, plan, schema) }
    }

    private static func problem(
        _ difference: SchemaDifference, _ plan: SchemaPlan, _ schema: StoreSchema
    ) -> String? {
        guard let id = schema.classID(named: difference.className) else { return nil }
        let name = difference.property ?? ""
        switch difference.kind {
        case .propertyAdded:
            guard let column = schema[id].column(named: name),
                !schema[id].columns[column.rawValue].mayBeEmpty
            else { return nil }
            return "Property '\(difference.className).\(name)' is required, and not in the file."
        case .propertyChanged: return plan.keepsValues(of: difference) ? nil : difference.text
        default: return difference.needsMigration ? difference.text : nil
        }
    }
}

extension StoreSchema {
    /// The same without indexes of several columns, which do not affect the fit. In a plan, the
    /// models' indexes follow all columns; in a store, columns may follow the indexes.
    fileprivate var withoutComposites: StoreSchema {
        var classes = self.classes
        for (index, entry) in classes.enumerated() {
            for composite in entry.composites {
                classes[index].columns[composite.rawValue].dropIndex()
            }
        }
        return StoreSchema(classes: classes, version: version, steps: steps)
    }
}

extension ColumnSchema {
    /// Whether the property may have no value.
    fileprivate var mayBeEmpty: Bool {
        container != .none || isNullable || kind == .link || kind == .mixed
    }
}

extension SchemaPlan {
    /// Whether a changed property keeps all of its values: it has become optional.
    fileprivate func keepsValues(of difference: SchemaDifference) -> Bool {
        guard let id = stored.classID(named: difference.className),
            let column = stored[id].column(named: difference.property ?? ""),
            stored[id].primaryKey != column
        else { return false }
        return transfers.contains { $0.id == id && $0.source == column }
    }
}
