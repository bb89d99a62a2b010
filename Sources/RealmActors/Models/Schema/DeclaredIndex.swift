import Storage

/// An index of several properties, declared by a class or stored.
package struct DeclaredIndex: Sendable, Hashable {
    /// One property of it.
    package struct Part: Sendable, Hashable {
        let name: String
        let isDescending: Bool
        /// Whether strings are in the order of a collation.
        let isCollated: Bool
        /// The problem of the key path; nil if it names a property.
        let problem: String?

        init(name: String, isDescending: Bool, isCollated: Bool) {
            (self.name, self.isDescending, problem) = (name, isDescending, nil)
            self.isCollated = isCollated
        }

        init<Root: ModelObject, Value: PersistedValue>(
            _ keyPath: KeyPath<Root, Value>, isDescending: Bool, isCollated: Bool = false
        ) {
            self.isCollated = isCollated
            let steps = Tracer.path(of: keyPath)
            name = Tracer.text(steps)
            self.isDescending = isDescending
            problem =
                steps.isEmpty
                ? "a property that is not persisted"
                : steps.count > 1
                    ? "'\(name)', which goes through a link"
                    : steps[0].property.type == Value.self && Tracer.isStored(keyPath)
                        ? nil : "a part of '\(name)'"
        }
    }

    let parts: [Part]
    let isUnique: Bool
    /// Whether it is an index of the places of the objects; it has no parts then.
    let isOfPlaces: Bool

    static let places = DeclaredIndex(parts: [], isUnique: false, isOfPlaces: true)

    init(parts: [Part], isUnique: Bool, isOfPlaces: Bool = false) {
        self.parts = parts
        self.isUnique = isUnique
        self.isOfPlaces = isOfPlaces
    }

    /// A stored index.
    init(_ stored: IndexParts, of columns: [ColumnSchema]) {
        if stored.isOfPlaces {
            self = .places
            return
        }
        self.init(
            parts: stored.all.map {
                Part(
                    name: columns[$0.column.rawValue].name, isDescending: $0.isDescending,
                    isCollated: $0.isCollated)
            }, isUnique: stored.isUnique)
    }

    /// Its column in the store, after `columns`; `positions` returns the position of a property
    /// among those.
    func column(_ columns: [ColumnSchema], positions: (String) -> Int?) -> ColumnSchema {
        if isOfPlaces {
            guard let places = PlaceColumns(ClassSchema(name: "", columns: columns)) else {
                preconditionFailure("An index of places that was not checked.")
            }
            return ColumnSchema(places.parts)
        }
        var stored = IndexParts(isUnique: isUnique)
        for part in parts {
            guard let position = positions(part.name) else {
                preconditionFailure("An index of a property that was not checked.")
            }
            stored.append(
                ColumnID(position), columns[position], isDescending: part.isDescending,
                isCollated: part.isCollated)
        }
        return ColumnSchema(stored)
    }

    /// The problems of its declaration.
    func problems(in model: DiscoveredModel) -> [String] {
        var problems: [String] = []
        let head = "An index of class '\(model.name)'"
        if isOfPlaces { return placeProblems(in: model) }
        if parts.isEmpty { problems.append("\(head) has no property. Name at least one.") }
        if parts.count > IndexParts.countMax {
            problems.append(
                "\(head) has \(parts.count) properties, more than \(IndexParts.countMax).")
        }
        for (name, count) in DiscoveredModel.repeated(parts.map(\.name)) where count > 1 {
            problems.append("\(head) names '\(name)' \(count) times. Name it once.")
        }
        for part in parts {
            if let problem = part.problem {
                problems.append("\(head) names \(problem). Name persisted properties of the class.")
            } else if let shape = model[part.name]?.shape,
                !shape.canBeIndexPart
            {
                problems.append(
                    "\(head) names '\(part.name)', a '\(shape.name)', which it cannot have: no "
                        + "collection, link, value of any type or Decimal128.")
            }
        }
        return problems
    }
}

extension DeclaredIndex {
    private func placeProblems(in model: DiscoveredModel) -> [String] {
        let columns = model.properties.map { property in
            ColumnSchema(
                name: property.columnName, kind: property.shape.kind,
                container: property.shape.container, isNullable: property.shape.isNullable)
        }
        let schema = ClassSchema(name: model.name, isEmbedded: model.isEmbedded, columns: columns)
        if schema.isEmbedded, PlaceColumns(schema) != nil { return [] }
        return [
            "Class '\(model.name)' has an index of places and no coordinates. Make it an embedded "
                + "class with the properties 'type: String' and 'coordinates: List<Double>', or "
                + "'latitude: Double' and 'longitude: Double'."
        ]
    }
}

extension PropertyShape {
    /// Whether a property of this shape can be one of several in an index.
    fileprivate var canBeIndexPart: Bool {
        role == .stored
            && ColumnSchema(name: "", kind: kind, container: container).canBeIndexPart
    }
}
