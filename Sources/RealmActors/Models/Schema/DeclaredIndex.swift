import Storage

/// An index of several properties as a class declares it, or as a store has it.
package struct DeclaredIndex: Sendable, Hashable {
    /// One property of it.
    package struct Part: Sendable, Hashable {
        let name: String
        let isDescending: Bool
        /// What is wrong with the key path; nil when it names a property.
        let problem: String?

        init(name: String, isDescending: Bool) {
            (self.name, self.isDescending, problem) = (name, isDescending, nil)
        }

        init<Root: ModelObject, Value: PersistedValue>(
            _ keyPath: KeyPath<Root, Value>, isDescending: Bool
        ) {
            let steps = Tracer.path(of: keyPath)
            name = Tracer.text(steps)
            self.isDescending = isDescending
            problem =
                steps.isEmpty
                ? "a property that is not persisted"
                : steps.count > 1
                    ? "'\(name)', which goes through a link"
                    : steps[0].property.type == Value.self ? nil : "a part of '\(name)'"
        }
    }

    let parts: [Part]
    let isUnique: Bool

    init(parts: [Part], isUnique: Bool) {
        self.parts = parts
        self.isUnique = isUnique
    }

    /// As a store has it.
    init(_ stored: IndexParts, of columns: [ColumnSchema]) {
        parts = stored.all.map {
            Part(name: columns[$0.column.rawValue].name, isDescending: $0.isDescending)
        }
        isUnique = stored.isUnique
    }

    /// The column that it takes in the store, behind `columns`; `positions` says where properties
    /// are among those.
    func column(_ columns: [ColumnSchema], positions: (String) -> Int?) -> ColumnSchema {
        var stored = IndexParts(isUnique: isUnique)
        for part in parts {
            guard let position = positions(part.name) else {
                preconditionFailure("An index of a property that was not checked.")
            }
            stored.append(
                ColumnID(position), columns[position], isDescending: part.isDescending)
        }
        return ColumnSchema(stored)
    }

    /// What is wrong with it.
    func problems(in model: DiscoveredModel) -> [String] {
        var problems: [String] = []
        let head = "An index of class '\(model.name)'"
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

extension PropertyShape {
    /// Whether a property of this shape can be one of several in an index.
    fileprivate var canBeIndexPart: Bool {
        role == .stored
            && ColumnSchema(name: "", kind: kind, container: container).canBeIndexPart
    }
}
