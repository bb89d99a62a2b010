import Storage

/// How the section of an object is found.
struct SectionKeying<Key: Hashable & Sendable, Model: ObjectBase>: Sendable {
    let read: @Sendable (Model) -> Key
    /// The names of the properties on the key path; nil for code, which may read anything.
    let path: [String]?

    init(_ read: @escaping @Sendable (Model) -> Key) {
        self.read = read
        path = nil
    }

    init(_ keyPath: KeyPath<Model, Key>) where Key: PersistedValue {
        path = Tracer.names(of: keyPath)
        let shared = SharedKeyPath(keyPath)
        read = { $0[keyPath: shared.path] }
    }

    /// Refuses an order by which objects of one section do not stand together.
    func check(_ descriptors: [SortDescriptor]) throws(RealmError) {
        guard let path, path != descriptors.first?.steps || descriptors.first?.measure != .value
        else { return }
        let name = path.joined(separator: ".")
        throw .invalidKeyPath(
            "Sections by '\(name)' must be sorted by it first, but the first sort descriptor is "
                + "\(descriptors.first.map { "'\($0.keyPath)'" } ?? "missing").")
    }
}

/// The sections of results of one version, found when first needed and then kept.
final class EvaluatedSections<Key: Hashable & Sendable>: Sendable {
    private final class Box: Sendable {
        let table: SectionTable<Key>
        init(_ table: SectionTable<Key>) { self.table = table }
    }

    private let box = OnceReference<Box>()

    init() {}

    init(_ table: SectionTable<Key>) { _ = box.storeIfNil(Box(table)) }

    /// Tasks that ask at the same time may both evaluate; all of them see the first table.
    func table(_ evaluate: () -> SectionTable<Key>) -> SectionTable<Key> {
        if let box = box.load() { return box.table }
        return box.storeIfNil(Box(evaluate())).table
    }
}
