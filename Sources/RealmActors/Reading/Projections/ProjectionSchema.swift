import Storage
import Synchronization

/// A property that a projection declares.
struct ProjectedProperty: Sendable {
    /// Its name in the projection.
    let name: String
    /// The key path from the projected object.
    let keyPath: SharedKeyPath<AnyKeyPath>
    /// The names of the model's properties on the path; several paths if a computed property reads
    /// several properties.
    let paths: [[String]]

    /// Whether the property may show another value once one of these properties has changed.
    func dependsOn(_ names: Set<String>) -> Bool {
        paths.contains { path in path.first.map(names.contains) ?? false }
    }
}

/// The properties of a projection class, found by reflection.
final class ProjectionSchema: Sendable {
    let name: String
    let properties: [ProjectedProperty]

    private static let known = Mutex(SortedTable<UInt, ProjectionSchema>())

    /// The schema of a projection; reflection runs once per class and process.
    static func of<P: ProjectionObservable>(_ type: P.Type) -> ProjectionSchema {
        let identifier = UInt(bitPattern: ObjectIdentifier(type))
        if let schema = known.withLock({ $0[identifier] }) { return schema }
        let schema = ProjectionSchema(type)
        return known.withLock { table in
            if let first = table[identifier] { return first }
            table[identifier] = schema
            return schema
        }
    }

    private init<P: ProjectionObservable>(_ type: P.Type) {
        name = "\(type)"
        var levels: [Mirror] = []
        var level: Mirror? = Mirror(reflecting: P(projecting: P.Root()))
        while let current = level {
            levels.append(current)
            level = current.superclassMirror
        }
        var properties: [ProjectedProperty] = []
        for child in levels.reversed().flatMap(\.children) {
            guard let label = child.label, let wrapper = child.value as? any ProjectedWrapper,
                let keyPath = wrapper.anyKeyPath as? PartialKeyPath<P.Root>
            else { continue }
            properties.append(
                ProjectedProperty(
                    name: String(label.dropFirst()), keyPath: SharedKeyPath(keyPath),
                    paths: Self.paths(Tracer.path(of: keyPath))))
        }
        self.properties = properties
    }

    /// The maximal paths of the traced steps: from the root to each step that no other continues.
    static func paths(_ steps: [TracedStep]) -> [[String]] {
        var ways: [[String]] = []
        for step in steps {
            ways.append((step.origin == 0 ? [] : ways[step.origin - 1]) + [step.name])
        }
        let continued = Set(steps.map(\.origin))
        return ways.indices.filter { !continued.contains($0 + 1) }.map { ways[$0] }
    }

    /// The class and its properties, as text.
    func text<P: ProjectionObservable>(of projection: P) -> String {
        if projection.isInvalidated { return "[invalid object]" }
        let lines = properties.map { property in
            let value = projection.rootObject[keyPath: property.keyPath.path]
            return "\t\(property.name) = \(ObjectDescription.text(ofValue: value as Any));"
        }
        return "\(name) {\n\(lines.joined(separator: "\n"))\n}"
    }
}

/// The paths that a stream of a projection watches, and the properties that it delivers.
struct ProjectionPaths: Sendable {
    var paths: [[String]] = []
    var reported: [ProjectedProperty] = []
}

extension ProjectionSchema {
    /// The watched paths for key paths of a projection; all properties if there are none.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)`` for a key path that leads to no persisted
    ///   property.
    func watched<P: ProjectionObservable>(
        _ keyPaths: [PartialKeyPath<P>]
    ) throws(RealmError) -> ProjectionPaths {
        if keyPaths.isEmpty { return everything }
        var result = ProjectionPaths()
        for keyPath in keyPaths {
            let steps = Tracer.steps(P.Root.self) { root in
                _ = P(projecting: root)[keyPath: keyPath]
            }
            let paths = Self.paths(steps)
            let reported = properties(for: paths)
            guard !paths.isEmpty, !reported.isEmpty else {
                throw .invalidKeyPath(
                    "A key path of projection '\(name)' goes through no @Projected property that "
                        + "shows a @Persisted one. Only those can be watched.")
            }
            result.paths += paths
            result.add(reported)
        }
        return ordered(result)
    }

    /// The watched paths for names of projected properties; all properties if there are none. A
    /// name may continue with names of the model: `home.city`.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)`` for a name that the projection does not have.
    func watched(names: [String]) throws(RealmError) -> ProjectionPaths {
        if names.isEmpty { return everything }
        var result = ProjectionPaths()
        for text in names {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
                .map(String.init)
            guard let property = properties.first(where: { $0.name == parts.first }),
                !property.paths.isEmpty
            else {
                throw .invalidKeyPath(
                    "Property '\(parts.first ?? text)' not found in projection '\(name)'. "
                        + "Only @Projected properties that show @Persisted ones can be watched.")
            }
            result.paths += property.paths.map { $0 + parts.dropFirst() }
            result.add([property])
        }
        return ordered(result)
    }

    private var everything: ProjectionPaths {
        ProjectionPaths(paths: properties.flatMap(\.paths), reported: properties)
    }

    /// Changes are delivered in the order in which the class declares its properties.
    private func ordered(_ watched: ProjectionPaths) -> ProjectionPaths {
        let names = Set(watched.reported.map(\.name))
        return ProjectionPaths(
            paths: watched.paths, reported: properties.filter { names.contains($0.name) })
    }

    /// The properties that show these paths, or else their longest prefixes.
    private func properties(for paths: [[String]]) -> [ProjectedProperty] {
        let exact = properties.filter { $0.paths == paths }
        if !exact.isEmpty { return exact }
        let beginnings = properties.filter { property in
            property.paths.contains { way in paths.contains { $0.starts(with: way) } }
        }
        let longest = beginnings.flatMap(\.paths).map(\.count).max() ?? 0
        return beginnings.filter { $0.paths.contains { $0.count == longest } }
    }
}

extension ProjectionPaths {
    fileprivate mutating func add(_ properties: [ProjectedProperty]) {
        for property in properties where !reported.contains(where: { $0.name == property.name }) {
            reported.append(property)
        }
    }
}
