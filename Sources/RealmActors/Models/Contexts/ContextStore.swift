import Storage

/// An open store as contexts see it: the holders of versions, and the engine of writes. One class
/// alone conforms, as to ``StoreHandle``.
protocol ContextStore: StoreHandle {
    /// The models of the open realm.
    var models: ModelMap { get }
    /// What runs the next write.
    var engine: TransactionEngine { get }
    /// A version without any object, for contexts that show none.
    var emptyView: TreeView { get }

    /// Counts one more holder of the newest version, and returns that.
    func holdLatest(_ label: String?) -> SnapshotRoot
    /// Counts one more holder of a version.
    func hold(_ root: SnapshotRoot, _ label: String?)
    /// Counts one holder less.
    func release(_ version: VersionName, _ label: String?)
}
