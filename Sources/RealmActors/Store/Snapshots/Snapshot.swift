package import Storage

/// One version of a realm: an immutable, Sendable value. Reading it is synchronous, on any
/// isolation, and never waits for a writer; nodes that are not in memory are read from the disk by
/// the caller.
///
/// Its version stays readable for as long as the snapshot, or anything that was read from it, is
/// held.
///
///     let snapshot = realm.snapshot()
///     let adults = snapshot.objects(Person.self).where { $0.age >= 18 }
public struct Snapshot: Sendable {
    /// The context that everything read from the snapshot shares.
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

    /// Whether the version has no object of any class, including classes that are not among the
    /// realm's `objectTypes`.
    ///
    /// - Complexity: linear in the number of classes.
    public var isEmpty: Bool { view.hasNoObject }

    /// Why the store no longer accepts writes; nil while it does. If a node could not be read, its
    /// contents are missing from the snapshot. A snapshot taken inside a write in which that
    /// happened keeps reporting it, even after the store was reopened.
    public var failure: RealmError? { handle.captureFailure ?? handle.store.failure }
}

extension TreeView {
    /// Whether no class has an object, including classes that the realm was opened without.
    var hasNoObject: Bool {
        schema.classes.indices.allSatisfy { classView(ClassID($0)).count == 0 }
    }
}
