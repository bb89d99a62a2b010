/// A node that can be read while this value lives: a pin.
///
/// Most nodes are attached to their slot, which retains them. Beyond the memory budget, a node that
/// was read from disk is retained by its readers, and by the cache for a while.
@frozen @usableFromInline
struct NodeHold: ~Copyable {
    @usableFromInline let node: Node
    /// Whether this value retains the node.
    @usableFromInline let isOwned: Bool

    /// A node that its slot retains.
    @inlinable
    init(attached node: Node) {
        self.node = node
        isOwned = false
    }

    /// Takes over a retained node.
    init(owning node: Node) {
        self.node = node
        isOwned = true
    }

    @usableFromInline
    deinit {
        if isOwned { node.release() }
    }

    /// Hands the retain, if there is one, to the caller.
    @inlinable
    consuming func take() -> (node: Node, isOwned: Bool) {
        let taken = (node, isOwned)
        discard self
        return taken
    }
}

/// Retains a node while it lives.
///
/// For copyable values that read nodes beyond the memory budget.
@usableFromInline
package final class NodeKeeper: Sendable {
    private let shared: SharedNodes<Node>
    private let account: NodeAccount

    /// Takes over a retained node.
    init(owning node: Node) {
        shared = SharedNodes(node)
        // Retained here; until now the reader of the node retains the account.
        account = node.account.takeUnretainedValue()
    }

    deinit { shared.reader.release() }
}
