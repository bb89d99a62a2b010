import Storage

extension FrozenContext {
    /// The property names on Swift key paths.
    func paths<Root: ObjectBase>(
        _ keyPaths: [PartialKeyPath<Root>]
    ) -> Result<[[String]], RealmError> {
        Result { () throws(RealmError) -> [[String]] in
            var paths: [[String]] = []
            for keyPath in keyPaths {
                let steps = Tracer.path(of: keyPath)
                guard !steps.isEmpty else {
                    throw .invalidKeyPath(
                        "A key path of '\(Root.self)' goes through no @Persisted property. "
                            + "Only persisted properties can be watched.")
                }
                paths.append(steps.map(\.name))
            }
            return paths
        }
    }

    /// The property names on key paths that are text.
    func paths(_ texts: [String]) -> [[String]] {
        texts.map { text in
            text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        }
    }

    /// What key paths mean in this store; `ifNone` when there are none.
    func watched(
        _ paths: [[String]], root: ClassID, ifNone: WatchedPaths
    ) throws(RealmError) -> WatchedPaths {
        if paths.isEmpty { return ifNone }
        var watched: [(order: Int, path: WatchedPath)] = []
        for names in paths {
            let path = try resolve(names, root)
            watched.append((models.binding(root)?.model.position(of: path.name) ?? 0, path))
        }
        // Changes are reported in the order in which the class declares its properties.
        let ordered = watched.enumerated().sorted {
            ($0.element.order, $0.offset) < ($1.element.order, $1.offset)
        }
        return .paths(ordered.map(\.element.path))
    }

    private func resolve(_ names: [String], _ root: ClassID) throws(RealmError) -> WatchedPath {
        var steps: [PathStep] = []
        var current: ClassID? = root
        for name in names {
            guard let id = current else {
                throw .invalidKeyPath(
                    "Key path '\(names.joined(separator: "."))' goes on after a property that is "
                        + "not a link. End it there.")
            }
            guard let model = models.binding(id), let property = model.property(named: name) else {
                throw .invalidKeyPath(
                    "Property '\(name)' not found in objects of class "
                        + "'\(view.schema[id].name)'. Only @Persisted properties can be watched.")
            }
            if let origin = property.origin {
                steps.append(.backlinks(origin: origin, column: property.column))
                current = origin
            } else {
                steps.append(.column(property.column, of: id))
                current = view.schema[id].columns[property.column.rawValue].target
            }
        }
        return WatchedPath(name: names.first ?? "", steps: steps)
    }
}
