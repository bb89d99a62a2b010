package import Storage

/// One version of a realm: an immutable, Sendable value. Reading never blocks and never waits.
///
/// A snapshot keeps its version for as long as it, or anything that was read from it, is held.
///
///     let snapshot = realm.snapshot()
///     let adults = snapshot.objects(Person.self).where { $0.age >= 18 }
public struct Snapshot: Sendable {
    // Unsafe: a frozen context is immutable, and so is what it shows.
    /// What everything that is read from the snapshot shares.
    package nonisolated(unsafe) let context: FrozenContext

    init(_ context: FrozenContext) { self.context = context }

    package init(_ handle: SnapshotHandle) { context = FrozenContext(handle) }

    package var handle: SnapshotHandle { context.handle }
    package var root: SnapshotRoot { handle.root }
    package var view: TreeView { context.view }
    package var models: ModelMap { context.models }
    var hub: CommitHub<Snapshot> { handle.store.hub }

    /// The version that the snapshot shows.
    public var version: Realm.Version { Realm.Version(handle.root.version) }

    /// All objects of a class, in the order of their creation.
    ///
    /// A class that is not among the realm's `objectTypes` has none, and what can throw on the
    /// results says so: `evaluated()`, queries in text, streams of changes.
    public func objects<Model: Object>(_ type: Model.Type) -> FrozenResults<Model> {
        guard let model = models.binding(for: type) else {
            let absent = AbsentClass(type, in: models)
            return FrozenResults(
                context: FrozenContext(handle, without: absent), model: absent.model)
        }
        return FrozenResults(context: context, model: model)
    }

    /// The object with a primary key; nil when there is none. O(log n).
    public func object<Model: Object>(
        _ type: Model.Type, forPrimaryKey key: some PersistedValue
    ) -> Frozen<Model>? {
        guard let object = context.object(type, forPrimaryKey: key._storable.value) else {
            return nil
        }
        // Unsafe: it is an accessor of the binding of `type`, which are instances of it.
        return Frozen(frozen: unsafeDowncast(object, to: type))
    }

    /// The object that a reference names, as this version has it; nil when it is not there.
    public func resolve<Model: ObjectBase>(_ reference: ObjectReference<Model>) -> Frozen<Model>? {
        guard let model = models.binding(of: reference) else { return nil }
        return context.frozen(Model.self, model, reference.key)
    }

    /// The object in this version that a frozen one shows in another; nil when it is not there.
    public func resolve<Model: ObjectBase>(_ frozen: Frozen<Model>) -> Frozen<Model>? {
        resolve(frozen.reference)
    }

    /// Whether the store has no object, also none of a class that is not among the realm's
    /// `objectTypes`.
    public var isEmpty: Bool {
        view.schema.classes.indices.allSatisfy { view.classView(ClassID($0)).count == 0 }
    }

    /// Why the store can no longer be trusted, nil while it can.
    public var failure: RealmError? { handle.store.failure }
}

/// Keeps one version, and counts as one of its holders.
package final class SnapshotHandle: Sendable {
    package let root: SnapshotRoot
    let store: RealmStore
    private let label: String?

    init(store: RealmStore, label: String?) {
        self.store = store
        self.label = label
        root = store.versions.take(label) { store.engine.latest }
    }

    /// Holds a version that is not published.
    init(store: RealmStore, root: SnapshotRoot, label: String? = nil) {
        self.store = store
        self.label = label
        self.root = store.versions.take(label) { root }
    }

    deinit { store.versions.release(root.version, label) }
}

extension FrozenContext {
    /// A frozen object of this version; nil when its row is not there.
    func frozen<Model: ObjectBase>(
        _ type: Model.Type, _ model: ModelBinding, _ key: RowKey
    ) -> Frozen<Model>? {
        guard let object = object(model, key) else { return nil }
        // Unsafe: callers give the binding of `type`, whose accessors are instances of it.
        return Frozen(frozen: unsafeDowncast(object, to: type))
    }
}
