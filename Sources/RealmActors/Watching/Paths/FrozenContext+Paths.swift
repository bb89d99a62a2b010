import Storage

extension FrozenContext {
    /// Finds modifications of the objects of a class, as key paths define them; without key paths,
    /// as `ifNone` does.
    func finder(
        _ paths: [[String]], root: ClassID, ifNone: WatchedPaths = .deep
    ) throws(RealmError) -> ModificationFinder {
        let watched = try watched(paths, root: root, ifNone: ifNone)
        return ModificationFinder(root: root, watched: watched, schema: view.schema)
    }

    /// Resolves key paths in the schema of the version; `ifNone` when there are none.
    func watched(
        _ paths: [[String]], root: ClassID, ifNone: WatchedPaths
    ) throws(RealmError) -> WatchedPaths {
        if let absence { throw absence }
        if paths.isEmpty { return ifNone }
        var watched: [(order: Int, path: WatchedPath)] = []
        for names in paths {
            let all = names.joined(separator: ".")
            for path in try resolve(names[...], from: root, WatchedPath(name: "", steps: []), all) {
                watched.append((known(root).model.position(of: path.name) ?? 0, path))
            }
        }
        // Changes are reported in the order in which the class declares its properties.
        let ordered = watched.enumerated().sorted {
            ($0.element.order, $0.offset) < ($1.element.order, $1.offset)
        }
        return .paths(ordered.map(\.element.path))
    }

    /// The paths by which `names` continue after `way`, which leads to objects of class `current`.
    private func resolve(
        _ names: ArraySlice<String>, from current: ClassID?, _ way: WatchedPath, _ text: String
    ) throws(RealmError) -> [WatchedPath] {
        guard let name = names.first else { return [way] }
        guard let id = current else {
            throw .invalidKeyPath(
                "Key path '\(text)' continues past a property that is not a link. End it there.")
        }
        let model = known(id)
        if name == Self.wildcard {
            return try resolveAll(names.dropFirst(), of: model, way, text)
        }
        guard let property = model.property(named: name) else {
            throw .invalidKeyPath(
                "Property '\(name)' not found in objects of class "
                    + "'\(view.schema[id].name)'. Only @Persisted properties can be watched.")
        }
        let (path, target) = way.extended(through: property, of: id, view.schema)
        return try resolve(names.dropFirst(), from: target, path, text)
    }

    /// The binding of a class; that of the stored schema if the realm was opened without the class.
    private func known(_ id: ClassID) -> ModelBinding {
        models.binding(id) ?? models.dynamicBinding(id)
    }

    /// Represents every property that is not an inverse.
    private static let wildcard = "*"

    /// The paths through every property of a class. A property that `names` cannot continue is left
    /// out, unless all of `names` are wildcards: its path then ends there.
    private func resolveAll(
        _ names: ArraySlice<String>, of model: ModelBinding, _ way: WatchedPath, _ text: String
    ) throws(RealmError) -> [WatchedPath] {
        var paths: [WatchedPath] = []
        let isOpen = names.allSatisfy { $0 == Self.wildcard }
        for property in model.properties where property.origin == nil {
            let (path, target) = way.extended(through: property, of: model.classID, view.schema)
            if target != nil, let more = try? resolve(names, from: target, path, text) {
                paths += more
            } else if isOpen {
                // Also for a link to a class that has only inverses.
                paths.append(path)
            }
        }
        if paths.isEmpty {
            throw .invalidKeyPath(
                "Key path '\(text)' matches nothing: no property of class "
                    + "'\(view.schema[model.classID].name)' leads to what follows the '*'.")
        }
        return paths
    }
}

extension WatchedPath {
    /// The path extended by a property, and the class it leads to; nil if it is not a link.
    fileprivate func extended(
        through property: PropertyBinding, of id: ClassID, _ schema: StoreSchema
    ) -> (path: WatchedPath, target: ClassID?) {
        let name = steps.isEmpty ? property.name : name
        if let origin = property.origin {
            let step = PathStep.backlinks(origin: origin, column: property.column)
            return (WatchedPath(name: name, steps: steps + [step]), origin)
        }
        let step = PathStep.column(property.column, of: id)
        let target = schema[id].columns[property.column.rawValue].target
        return (WatchedPath(name: name, steps: steps + [step]), target)
    }
}
