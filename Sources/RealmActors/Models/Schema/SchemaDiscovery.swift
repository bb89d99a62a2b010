package import Storage

/// Makes a store's schema from model classes.
package enum SchemaDiscovery {
    /// The schema of `types`, in their order, and the model of each.
    ///
    /// - Throws: ``RealmError/invalidSchema(problems:)`` with every problem of every class.
    package static func discover(
        _ types: [ObjectBase.Type]
    ) throws(RealmError) -> (schema: StoreSchema, models: [DiscoveredModel]) {
        var models: [DiscoveredModel] = []
        for type in types where !models.contains(where: { $0.type == type }) {
            models.append(DiscoveredModel.of(type))
        }
        var problems = models.flatMap(\.problems)
        for (name, count) in DiscoveredModel.repeated(models.map(\.name)) {
            problems.append("objectTypes has \(count) classes named '\(name)'. Rename one.")
        }
        for model in models {
            for property in model.properties {
                problems += Self.startProblems(of: property, in: model)
                problems += Self.problems(of: property, in: model, among: models)
            }
        }
        for model in models { problems += model.indexes.flatMap { $0.problems(in: model) } }
        if models.count > Limits.classes {
            problems.append("\(models.count) classes are more than \(Limits.classes). Use fewer.")
        }
        for model in models where model.properties.count + model.indexes.count > Limits.columns {
            problems.append(
                "Class '\(model.name)' has \(model.properties.count) properties and "
                    + "\(model.indexes.count) indexes of several, together more than "
                    + "\(Limits.columns). Split it.")
        }
        guard problems.isEmpty else { throw .invalidSchema(problems: problems) }
        return (StoreSchema(classes: models.map { classSchema($0, models) }), models)
    }

    private static func classSchema(
        _ model: DiscoveredModel, _ models: [DiscoveredModel]
    ) -> ClassSchema {
        let stored = model.properties.filter { $0.shape.role == .stored }
        let columns = stored.map { property in
            ColumnSchema(
                name: property.columnName, kind: property.shape.kind,
                container: property.shape.container, isNullable: property.shape.isNullable,
                isIndexed: property.isIndexed || property.isPrimaryKey,
                isFullText: property.isFullText,
                target: property.shape.target.flatMap { target in
                    models.firstIndex { $0.type == target }.map { ClassID($0) }
                }, integers: property.shape.integers)
        }
        let indexes = model.indexes.map { index in
            index.column(columns) { name in stored.firstIndex { $0.name == name } }
        }
        return ClassSchema(
            name: model.name, isEmbedded: model.type is EmbeddedObject.Type,
            columns: columns + indexes,
            primaryKey: stored.firstIndex { $0.isPrimaryKey }.map { ColumnID($0) })
    }

    /// The problems of a type that rejects the zero of its stored type. For a rejected value a
    /// property reads as its default; elements have no default.
    private static func startProblems(
        of property: DiscoveredProperty, in model: DiscoveredModel
    ) -> [String] {
        let shape = property.shape
        if shape.hasInitialValue { return [] }
        let place = "Property '\(model.name).\(property.name)'"
        if shape.container != .none {
            return [
                "\(place) (\(shape.name)) has elements of a type without a zero: where what is "
                    + "stored makes no value, they have none. Make the elements optional."
            ]
        }
        if property.hasDefault { return [] }
        return [
            "\(place) starts with a stored value of which '\(shape.name)' makes none. "
                + "Give it a default, or make it optional."
        ]
    }

    private static func problems(
        of property: DiscoveredProperty, in model: DiscoveredModel, among models: [DiscoveredModel]
    ) -> [String] {
        let place = "'\(model.name).\(property.name)'"
        guard let target = property.shape.target else { return [] }
        // Only of a custom type: the compiler refuses sets of embedded objects.
        if property.shape.container == .set, property.shape.isEmbedded {
            return [
                "Property \(place) is a set of a type that is stored as embedded objects "
                    + "('\(target)'), which have no equality. Use a List."
            ]
        }
        guard let other = models.first(where: { $0.type == target }) else {
            return [
                "Property \(place) links to class '\(target)', which is not in objectTypes. "
                    + "Add \(target).self."
            ]
        }
        guard property.shape.role == .inverse else { return [] }
        guard let origin = property.originProperty else {
            return ["Property \(place) needs @Persisted(originProperty:)."]
        }
        guard let link = other[origin] else {
            return ["Property \(place) names '\(other.name).\(origin)', which is not persisted."]
        }
        if link.shape.role != .stored || link.shape.target != model.type {
            return [
                "Property \(place) names '\(other.name).\(origin)', "
                    + "which does not link to '\(model.name)'."
            ]
        }
        return []
    }
}
