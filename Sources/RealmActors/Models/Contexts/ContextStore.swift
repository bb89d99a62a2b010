import Storage

/// What contexts need of an open store: the holders of versions, and the engine of writes. Only one
/// class conforms, as to ``StoreHandle``.
protocol ContextStore: StoreHandle {
    /// The models of the open realm.
    var models: ModelMap { get }
    /// The engine of the next write.
    var engine: TransactionEngine { get }
    /// A version without any object, for invalidated contexts.
    var emptyView: TreeView { get }

    /// Adds a holder of the newest version, and returns the version.
    func holdLatest(_ label: String?) -> SnapshotRoot
    /// Adds a holder of a version.
    func hold(_ root: SnapshotRoot, _ label: String?)
    /// Removes a holder of a version.
    func release(_ version: VersionName, _ label: String?)
}
