import Storage

/// The names that columns have as properties of models.
struct QueryNames {
    let schema: any QuerySchema

    /// The property that a column stores.
    func column(_ number: Int, _ id: ClassID) -> String {
        schema.name(of: ColumnID(number), in: id) ?? schema.store[id].columns[number].name
    }

    /// An index: of a property, or of several.
    func index(_ number: Int, _ id: ClassID) -> String {
        let schema = schema.store[id].columns[number]
        guard schema.isComposite else { return column(number, id) }
        if schema.parts.isOfPlaces { return "places" }
        let parts = schema.parts.all.map { part in
            column(part.column.rawValue, id) + (part.isCollated ? " COLLATED" : "")
                + (part.isDescending ? " DESC" : "")
        }
        return "(\(parts.joined(separator: ", ")))"
    }

    /// The first properties of an index of several.
    func parts(_ number: Int, first count: Int, _ id: ClassID) -> String {
        schema.store[id].columns[number].parts.all.prefix(count)
            .map { column($0.column.rawValue, id) }.joined(separator: ", ")
    }

    func keys(_ keys: [SortKey], _ id: ClassID) -> String {
        keys.map { key in
            let path = path(key.path, id)
            let direction = key.ascending ? "ASC" : "DESC"
            return switch key.measure {
            case .value: "\(path) \(direction)"
            case .distance: "DISTANCE(\(path)) \(direction)"
            case .collated: "\(path) COLLATED \(direction)"
            }
        }.joined(separator: ", ")
    }

    func paths(_ paths: [ValuePath], _ id: ClassID) -> String {
        paths.map { path($0, id) }.joined(separator: ", ")
    }

    /// A path to one value, across to-one links only.
    private func path(_ path: ValuePath, _ id: ClassID) -> String {
        var current = id
        var names: [String] = []
        for case .link(let hop) in path.steps {
            names.append(column(hop.column, current))
            current = hop.target
        }
        if case .value(let number, _) = path.end { names.append(column(number, current)) }
        return names.joined(separator: ".")
    }
}
