package import Storage

/// One version of a realm: an immutable, Sendable value. Reading never waits for a writer; what is
/// not in memory is read from the disk, on the caller.
///
/// A snapshot keeps its version for as long as it, or anything that was read from it, is held.
///
///     let snapshot = realm.snapshot()
///     let adults = snapshot.objects(Person.self).where { $0.age >= 18 }
public struct Snapshot: Sendable {
    /// What everything that is read from the snapshot shares.
    package let context: FrozenContext

    init(_ context: FrozenContext) { self.context = context }

    package init(_ handle: SnapshotHandle) { context = FrozenContext(handle) }

    package var handle: SnapshotHandle { context.handle }
    package var root: SnapshotRoot { handle.root }
    package var view: TreeView { context.view }
    package var models: ModelMap { context.models }
    var hub: CommitHub<Snapshot> { handle.store.hub }

    /// The version that the snapshot shows.
    public var version: Realm.Version { Realm.Version(handle.root.version) }

    /// Whether the store has no object, also none of a class that is not among the realm's
    /// `objectTypes`.
    ///
    /// - Complexity: linear in the number of classes.
    public var isEmpty: Bool { view.hasNoObject }

    /// Why the store no longer writes; nil while it does. Where that is a node which could not be
    /// read, what is in it is missing from what the snapshot shows.
    public var failure: RealmError? { handle.store.failure }
}

extension TreeView {
    /// Whether no class has an object, whatever classes a realm is opened with.
    var hasNoObject: Bool {
        schema.classes.indices.allSatisfy { classView(ClassID($0)).count == 0 }
    }
}
