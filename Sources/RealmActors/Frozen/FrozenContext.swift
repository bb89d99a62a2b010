package import Storage

/// The context of frozen accessors, results and collections: one version, immutable.
@usableFromInline
package final class FrozenContext: AccessContext {
    /// Keeps the version alive.
    let handle: SnapshotHandle
    private let tree: TreeView

    init(_ handle: SnapshotHandle) {
        self.handle = handle
        tree = handle.root.view
        super.init(models: handle.store.models)
    }

    package var snapshot: Snapshot { Snapshot(self) }

    package override var view: TreeView { tree }

    /// A frozen accessor for a row of this version; nil when there is no such row.
    package func object(_ model: ModelBinding, _ key: RowKey) -> ObjectBase? {
        guard let row = tree.classView(model.classID).locate(key) else { return nil }
        return model.makeAccessor(frozen: self, key, row)
    }
}
