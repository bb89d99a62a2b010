/// The place in a node that refers to a child.
///
///     offset  size  content
///          0     8  pointer to the child in memory, or null
///          8     8  address of the child in the page files, 0 when it has none
///         16     4  length of the child on disk
///         20     4  reserved
///         24     8  hash of the child's bytes on disk
///
/// A slot owns one count of the child it points to. A slot may be empty in memory while the child
/// stands on disk; until page files exist every child is in memory and the other fields are zero.
@frozen @usableFromInline
struct Slot {
    // Unsafe: points into a node that is alive while this value is used.
    @usableFromInline let raw: UnsafeMutableRawPointer

    @inlinable
    init(raw: UnsafeMutableRawPointer) { self.raw = raw }

    @inlinable static var size: Int { 32 }

    /// The child, borrowed: the slot keeps its count.
    @inlinable var node: Node? {
        raw.load(as: UnsafeMutableRawPointer?.self).map { Node(raw: $0) }
    }

    /// Puts `node` here, taking over the caller's count, and gives up the count of what stood here.
    func replace(with node: Node?) {
        let old = self.node
        put(node)
        old?.release()
    }

    /// Puts `node` here without looking at what stood here.
    func put(_ node: Node?) {
        raw.storeBytes(of: node?.raw, as: UnsafeMutableRawPointer?.self)
        (raw + 8).initializeMemory(as: UInt8.self, repeating: 0, count: Slot.size - 8)
    }

    /// The child, made the writer's own: copied first when a snapshot shares it.
    ///
    /// The node that holds the slot must itself be the writer's own.
    func uniqueNode() -> Node? {
        guard let node else { return nil }
        if node.isUnique { return node }
        let copy = node.clone()
        put(copy)
        node.release()
        return copy
    }

    /// Takes the child out, handing its count to the caller.
    func take() -> Node? {
        let node = self.node
        put(nil)
        return node
    }
}
