/// One version of a store: an immutable tree, retained while this object lives.
///
/// Releasing the last reference frees the nodes that no other version shares.
package final class SnapshotRoot: Sendable {
    package let version: Version
    /// The ``Journal/life`` of this version's commit: of two commits with the same number, a crash
    /// has lost one.
    package let life: UInt64
    package let schema: StoreSchema
    package let account: NodeAccount
    private let nodes: SharedNodes<Node>
    /// When it was captured, in the order of captures of this store.
    package let capture: UInt64
    /// The version that this one was reconstructed from by undoing commits; nil for one of a
    /// commit. Nodes that both share may be in page files that are retained for that one.
    private let later: SnapshotRoot?

    /// The node that the tree begins at.
    var root: Node { nodes.reader }

    /// The commit of this version.
    package var name: VersionName { VersionName(version: version, life: life) }

    /// Which version this is and when it was captured, without keeping the version.
    package var moment: VersionMoment {
        VersionMoment(name: name, capture: later == nil ? capture : nil)
    }

    /// Takes over one count of `root`.
    init(
        root: Node, version: Version, life: UInt64 = 0, schema: StoreSchema, account: NodeAccount,
        rewoundFrom later: SnapshotRoot? = nil
    ) {
        nodes = SharedNodes(root)
        self.later = later
        self.version = version
        self.life = life
        self.schema = schema
        self.account = account
        capture = account.noteCapture()
    }

    deinit {
        root.release()
        account.noteRelease(capture)
    }

    /// The version, to read. Valid while this object lives.
    package var view: TreeView { TreeView(root: root, schema: schema) }
}
