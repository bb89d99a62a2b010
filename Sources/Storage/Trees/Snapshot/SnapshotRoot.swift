/// One version of a store: an immutable tree, kept for as long as someone holds this.
///
/// Dropping the last reference gives up the nodes that no other version shares.
package final class SnapshotRoot: Sendable {
    package let version: Version
    /// In which life of the store the commit was made that made this version: of two commits with
    /// one number, a crash has taken one back.
    package let life: UInt64
    package let schema: StoreSchema
    package let account: NodeAccount
    private let nodes: SharedNodes<Node>
    /// When it was captured, in the order of captures of this store.
    let capture: UInt64
    /// The version that this one was made from by taking commits back; nil for one that a commit
    /// made. Nodes that both have may be in page files that are kept for that one.
    private let later: SnapshotRoot?

    /// The node that the tree begins at.
    var root: Node { nodes.reader }

    /// The commit that made this version.
    package var name: VersionName { VersionName(version: version, life: life) }

    /// Which version this is and when it was captured, without keeping the version.
    package var moment: VersionMoment {
        VersionMoment(name: name, capture: later == nil ? capture : nil)
    }

    /// Takes over one count of `root`.
    init(
        root: Node, version: Version, life: UInt64 = 0, schema: StoreSchema, account: NodeAccount,
        takenBackFrom later: SnapshotRoot? = nil
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
