package import Storage

// Unchecked, because live contexts have the same base class; safe, because only live objects change
// its two mutable fields, and nothing else here changes.
/// The context of frozen accessors, results and collections: one version, immutable.
@usableFromInline
package final class FrozenContext: AccessContext, @unchecked Sendable {
    /// Keeps the version alive.
    let handle: SnapshotHandle
    private let tree: TreeView
    /// Retains the tree if it is not that of the handle.
    private let emptyRoot: SnapshotRoot?
    /// Takes errors for the migration whose old objects these are; nil elsewhere.
    let errors: MigrationErrors?

    init(_ handle: SnapshotHandle, errors: MigrationErrors? = nil) {
        self.handle = handle
        tree = handle.root.view
        emptyRoot = nil
        self.errors = errors
        super.init(models: handle.home.models)
    }

    /// A context without objects, for a class that the realm was opened without.
    init(_ handle: SnapshotHandle, without absent: AbsentClass) {
        self.handle = handle
        tree = absent.root.view
        emptyRoot = absent.root
        errors = nil
        super.init(models: absent.models, absence: absent.error)
    }

    /// The context with every class of the version.
    package var whole: FrozenContext { absence == nil ? self : FrozenContext(handle) }

    /// The version.
    package var root: SnapshotRoot { handle.root }

    package override var view: TreeView { tree }

    /// A frozen accessor for a row of this version; nil when there is no such row.
    package func object(_ model: ModelBinding, _ key: RowKey) -> ObjectBase? {
        guard let row = tree.classRoot(model.classID).locate(key) else { return nil }
        return model.makeAccessor(frozen: self, key, row)
    }

    /// A frozen accessor for the object with a primary key; nil when there is none, or no class.
    ///
    /// It retains nothing on the way: reference counts of shared objects would make all cores
    /// contend for the same cache lines.
    func object(_ type: ObjectBase.Type, forPrimaryKey value: StoredValue) -> ObjectBase? {
        // Unsafe: this context retains the map, and the map its models.
        models.borrowedBinding(for: type)?._withUnsafeGuaranteedRef { model in
            guard let column = model.primaryKeyIndex,
                let row = tree.classRoot(model.classID).first(column, equalTo: value)
            else { return nil }
            let key = row.key
            return model.makeAccessor(frozen: self, key, row)
        }
    }
}
