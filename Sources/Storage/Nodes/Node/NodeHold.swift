/// A node that can be read for as long as this value lives.
///
/// Most nodes are attached to the slot that leads to them, which keeps them. Beyond the memory
/// budget a node that was read from disk is kept by those who read it, each with a count of its
/// own, and by the cache for a while.
@frozen @usableFromInline
struct NodeHold: ~Copyable {
    @usableFromInline let node: Node
    /// Whether a count is this value's own.
    @usableFromInline let isOwned: Bool

    /// A node that its slot keeps.
    @inlinable
    init(attached node: Node) {
        self.node = node
        isOwned = false
    }

    /// A node of which one count is handed over.
    init(owning node: Node) {
        self.node = node
        isOwned = true
    }

    @usableFromInline
    deinit {
        if isOwned { node.release() }
    }

    /// Hands the count, if there is one, to the caller.
    @inlinable
    consuming func take() -> (node: Node, isOwned: Bool) {
        let taken = (node, isOwned)
        discard self
        return taken
    }
}

/// Keeps a node whose count it was handed.
///
/// For copyable values, which keep what they read beyond the memory budget in one of these.
@usableFromInline
package final class NodeKeeper: Sendable {
    private let shared: SharedNodes<Node>
    private let account: NodeAccount

    /// Takes over one count of `node`.
    init(owning node: Node) {
        shared = SharedNodes(node)
        // Unowned until here: the reader of the node keeps its account.
        account = node.account.takeUnretainedValue()
    }

    deinit { shared.reader.release() }
}
