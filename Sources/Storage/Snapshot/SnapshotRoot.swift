/// One version of a store: an immutable tree, kept for as long as someone holds this.
///
/// Dropping the last reference gives up the nodes that no other version shares.
package final class SnapshotRoot: Sendable {
    package let version: Version
    package let schema: StoreSchema
    let account: NodeAccount
    // Safe to share: every node reachable from here is immutable while this holds its count.
    nonisolated(unsafe) let root: Node

    /// Takes over one count of `root`.
    init(root: Node, version: Version, schema: StoreSchema, account: NodeAccount) {
        self.root = root
        self.version = version
        self.schema = schema
        self.account = account
    }

    deinit { root.release() }

    /// The version, to read. Valid while this object lives.
    package var view: TreeView { TreeView(root: root, schema: schema) }
}
