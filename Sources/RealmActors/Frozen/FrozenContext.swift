package import Storage

/// The context of frozen accessors, results and collections: one version, immutable.
@usableFromInline
package final class FrozenContext: AccessContext {
    /// Keeps the version alive.
    package let snapshot: Snapshot
    private let tree: TreeView

    package init(_ snapshot: Snapshot) {
        self.snapshot = snapshot
        tree = snapshot.view
        super.init(models: snapshot.models)
    }

    package override var view: TreeView { tree }

    /// A frozen accessor for a row of this version; nil when there is no such row.
    package func object(_ model: ModelBinding, _ key: RowKey) -> ObjectBase? {
        guard let location = tree.classView(model.classID).locate(key) else { return nil }
        return model.makeAccessor(frozen: self, key, location)
    }
}
