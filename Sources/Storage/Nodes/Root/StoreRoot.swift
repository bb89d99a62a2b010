/// The root of a version: one slot per class.
///
///     offset  size  content
///          0    24  node header; count = classes
///         24    32  per class: slot of its root
enum StoreRoot {
    static let slotsOffset = 24

    static func make(_ schema: StoreSchema, account: Unmanaged<NodeAccount>) -> Node {
        let count = schema.classes.count
        let node = Node.allocate(
            .storeRoot, size: slotsOffset + count * Slot.size, account: account)
        node.count = count
        for (index, schema) in schema.classes.enumerated() {
            let root = ClassRoot.make(columns: schema.columns.count, account: account)
            node.slot(slotsOffset, index).put(root.node)
        }
        return node
    }

    /// The root of a class, with the columns of `schema`, borrowed.
    @inline(__always)
    static func classRoot(_ root: Node, _ id: ClassID, _ schema: StoreSchema) -> Node? {
        root.slot(slotsOffset, id.rawValue).node(.classRoot(schema[id].columns.count))
    }

    /// A copy for a schema with more classes or columns than `before`; what did not change is
    /// shared.
    static func widened(
        _ old: Node, _ before: StoreSchema, to schema: StoreSchema
    ) -> Node {
        let count = schema.classes.count
        let node = Node.allocate(
            .storeRoot, size: slotsOffset + count * Slot.size, account: old.account)
        node.count = count
        for (index, schema) in schema.classes.enumerated() {
            let columns = schema.columns.count
            guard index < old.count, let child = classRoot(old, ClassID(index), before) else {
                let root = ClassRoot.make(columns: columns, account: old.account)
                node.slot(slotsOffset, index).put(root.node)
                continue
            }
            let root = ClassRoot(node: child)
            if root.columnCount == columns {
                child.retain()
                node.slot(slotsOffset, index).put(child)
            } else {
                node.slot(slotsOffset, index).put(root.widened(to: columns).node)
            }
        }
        return node
    }
}
