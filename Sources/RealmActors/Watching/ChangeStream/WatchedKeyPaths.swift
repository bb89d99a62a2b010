/// The key paths that a stream is asked to watch. Opaque outside the library.
@_documentation(visibility: internal)
public struct WatchedKeyPaths<Root> {
    private enum Given {
        case keyPaths([PartialKeyPath<Root>])
        case texts([String])
        /// The stream throws this error.
        case failure(RealmError)
    }

    private let given: Given

    init(_ keyPaths: [PartialKeyPath<Root>] = []) { given = .keyPaths(keyPaths) }

    init(texts: [String]) { given = .texts(texts) }

    private init(_ failure: RealmError) { given = .failure(failure) }

    /// The same key paths, or `failure` if there is one.
    func failing(_ failure: RealmError?) -> WatchedKeyPaths {
        failure.map { WatchedKeyPaths($0) } ?? self
    }
}

extension WatchedKeyPaths where Root: ObjectBase {
    /// The property names on the key paths; also of strings in the notation of Swift: `\.dog.name`.
    func names() throws(RealmError) -> [[String]] {
        switch given {
        case .failure(let error): throw error
        case .texts(let texts):
            return texts.map { text in
                let text = text.hasPrefix("\\.") ? text.dropFirst(2) : text[...]
                return text.split(separator: ".", omittingEmptySubsequences: false)
                    .map(String.init)
            }
        case .keyPaths(let keyPaths):
            var names: [[String]] = []
            for keyPath in keyPaths {
                let steps = Tracer.path(of: keyPath)
                if steps.isEmpty {
                    throw .invalidKeyPath(
                        "A key path of '\(Root.self)' goes through no @Persisted property. "
                            + "Only persisted properties can be watched.")
                }
                guard Tracer.isOneWay(steps) else {
                    let all = steps.map { "'\($0.name)'" }.joined(separator: ", ")
                    throw .invalidKeyPath(
                        "A key path of '\(Root.self)' leads to what is computed from more than "
                            + "one property, or from one more than once: \(all). Watch these.")
                }
                names.append(steps.map(\.name))
            }
            return names
        }
    }
}

extension WatchedKeyPaths where Root: ProjectionObservable {
    /// The key paths of the projected object.
    func projected() throws(RealmError) -> ProjectionPaths {
        let schema = ProjectionSchema.of(Root.self)
        switch given {
        case .failure(let error): throw error
        case .texts(let texts): return try schema.watched(names: texts)
        case .keyPaths(let keyPaths): return try schema.watched(keyPaths)
        }
    }
}
