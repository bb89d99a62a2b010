import Storage

/// The function that returns the section key of an object.
struct SectionKeying<Key: Hashable & Sendable, Model: ObjectBase>: Sendable {
    let read: @Sendable (Model) -> Key
    /// The names of the stored properties on the key path, or on that of the property from which
    /// the key is computed; nil for a closure, which may read anything.
    let path: [String]?

    init(_ read: @escaping @Sendable (Model) -> Key) {
        self.read = read
        path = nil
    }

    init(_ keyPath: KeyPath<Model, Key>) where Key: PersistedValue {
        let steps = Tracer.path(of: keyPath)
        precondition(!steps.isEmpty && Tracer.isOneWay(steps), Self.refusal(of: keyPath, steps))
        path = steps.map(\.name)
        let shared = SharedKeyPath(keyPath)
        read = { $0[keyPath: shared.path] }
    }

    /// The error for a key path that cannot define sections.
    private static func refusal(
        of keyPath: KeyPath<Model, Key>, _ steps: [TracedStep]
    ) -> String {
        let names = steps.map { "'\($0.name)'" }.joined(separator: ", ")
        return "The key \(String(reflecting: keyPath)) of sections of class '\(Model.self)' is "
            + "computed from "
            + (steps.isEmpty
                ? "no @Persisted property"
                : "more than one property, or from one more than once: \(names)")
            + ". Sort the objects, and give sectioned(by:) a closure that computes it."
    }

    /// Refuses an order in which the objects of a section are not contiguous.
    func check(_ descriptors: [SortDescriptor]) throws(RealmError) {
        guard let path, path != descriptors.first?.steps || descriptors.first?.measure != .value
        else { return }
        let name = path.joined(separator: ".")
        throw .invalidKeyPath(
            "Sections by '\(name)' must be sorted by it first, but the first sort descriptor is "
                + "\(descriptors.first.map { "'\($0.keyPath)'" } ?? "missing").")
    }
}

extension QueryableResults {
    /// The objects in the order of their section keys, or of the property from which these are
    /// computed.
    func sorted<Key: Hashable & Sendable>(
        for keying: SectionKeying<Key, Model>, ascending: Bool
    ) -> Self {
        keying.path.map { sorted(byPath: $0, ascending: ascending) } ?? self
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

    /// Several tasks may evaluate at the same time; all of them get the table that was stored
    /// first.
    func table(_ evaluate: () -> SectionTable<Key>) -> SectionTable<Key> {
        if let box = box.load() { return box.table }
        return box.storeIfNil(Box(evaluate())).table
    }
}
