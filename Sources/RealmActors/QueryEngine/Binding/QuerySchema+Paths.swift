package import Storage

extension QuerySchema {
    /// Binds a path of property names that starts at a row of `classID`.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)`` for a name that the class does not have.
    package func bind(
        _ names: [String], in classID: ClassID
    ) throws(RealmError) -> ValuePath {
        var steps: [ValueStep] = []
        var current = classID
        for (index, name) in names.enumerated() {
            let isLast = index == names.count - 1
            guard let property = property(name, of: current) ?? inverse(name, of: current) else {
                throw .invalidKeyPath(
                    "Property '\(name)' not found in class '\(store[current].name)'. "
                        + "Only @Persisted properties can be used in queries and sorts.")
            }
            switch property {
            case .inverse(let origin, let column):
                steps.append(.rows(.backlinks(origin: origin, column)))
                current = origin
            case .column(let id):
                let column = store[current].columns[id.rawValue]
                guard column.kind == .link, let target = column.target else {
                    guard isLast else { throw notALink(name, current) }
                    return ValuePath(
                        steps: steps,
                        end: column.container == .none
                            ? .value(column: id.rawValue, column)
                            : .elements(column: id.rawValue, column))
                }
                if column.container == .none {
                    if isLast {
                        return ValuePath(steps: steps, end: .value(column: id.rawValue, column))
                    }
                    steps.append(.link(LinkHop(column: id.rawValue, target: target)))
                } else {
                    let rows = RowSet.elements(column: id.rawValue, column, target: target)
                    steps.append(.rows(rows))
                }
                current = target
            }
        }
        return ValuePath(steps: steps, end: .rows)
    }

    /// The links of other classes that a text names by class and property: `@links.Person.dogs`.
    /// A property that the models lack has the name of its column.
    private func inverse(_ name: String, of classID: ClassID) -> QueryProperty? {
        let parts = name.split(separator: ".").map(String.init)
        guard parts.count == 3, parts[0] == "@links", let origin = store.classID(named: parts[1])
        else { return nil }
        let id: ColumnID
        switch property(parts[2], of: origin) {
        case .column(let column)?: id = column
        case .inverse?: return nil
        case nil:
            guard let column = store[origin].column(named: parts[2]) else { return nil }
            id = column
        }
        let column = store[origin].columns[id.rawValue]
        guard column.kind == .link, column.target == classID else { return nil }
        return .inverse(origin: origin, id)
    }

    private func notALink(_ name: String, _ classID: ClassID) -> RealmError {
        .invalidKeyPath(
            "Property '\(name)' of class '\(store[classID].name)' is not a link, so that no key "
                + "path can go through it.")
    }

    /// Binds a path that leads to exactly one value: of the row, or across to-one links.
    package func bindSingle(
        _ names: [String], in classID: ClassID
    ) throws(RealmError) -> ValuePath {
        let path = try bind(names, in: classID)
        guard path.isSingle, case .value = path.end else {
            throw .invalidKeyPath(
                "Key path '\(names.joined(separator: "."))' of class '\(store[classID].name)' "
                    + "does not lead to one value: sorts, distinct and aggregates take "
                    + "properties that are no collections, reached through to-one links only.")
        }
        return path.distinguishing(in: store)
    }

    /// Binds a path to a value that has an order, which objects have not.
    func bindOrdered(
        _ names: [String], in classID: ClassID
    ) throws(RealmError) -> ValuePath {
        let path = try bindSingle(names, in: classID)
        guard case .value(_, let link) = path.end, link.kind == .link else { return path }
        let example = link.target.flatMap { target in
            store[target].columns.first {
                $0.kind != .link && $0.container == .none && property($0.name, of: target) != nil
            }
        }
        let name = names.joined(separator: ".")
        throw .invalidKeyPath(
            "Key path '\(name)' of class '\(store[classID].name)' leads to an object, and objects "
                + "have no order. Sort by one of its properties, as in "
                + "'\(name).\(example?.name ?? "name")'.")
    }

    /// Binds the criteria of a sort.
    func sortKeys(
        _ descriptors: [SortDescriptor], in classID: ClassID
    ) throws(RealmError) -> [SortKey] {
        var keys: [SortKey] = []
        var subjects: Set<SortKey.Subject> = []
        for descriptor in descriptors {
            let key = try sortKey(descriptor, in: classID)
            // Rows that tie by a property tie by it again.
            if subjects.insert(key.subject).inserted { keys.append(key) }
        }
        return keys
    }

    /// Binds one criterion of a sort.
    func sortKey(
        _ descriptor: SortDescriptor, in classID: ClassID
    ) throws(RealmError) -> SortKey {
        switch descriptor.measure {
        case .value:
            return SortKey(
                path: try bindOrdered(descriptor.steps, in: classID),
                ascending: descriptor.ascending)
        case .collated:
            let path = try bindOrdered(descriptor.steps, in: classID)
            guard case .value(_, let column) = path.end, column.kind == .string else {
                throw .invalidKeyPath(
                    "Only texts have a collation, and '\(descriptor.keyPath)' of class "
                        + "'\(store[classID].name)' is not a text.")
            }
            return SortKey(path: path, ascending: descriptor.ascending, measure: .collated)
        case .distance(let point):
            let path = try bindSingle(descriptor.steps, in: classID)
            guard case .value(_, let link) = path.end, let target = link.target else {
                throw .invalidKeyPath(
                    "A distance needs a property that has one embedded object, and "
                        + "'\(descriptor.keyPath)' of class '\(store[classID].name)' is not one.")
            }
            return SortKey(
                path: path, ascending: descriptor.ascending,
                measure: .distance(GeoOrigin(point), try GeoColumns(store[target])))
        }
    }
}
