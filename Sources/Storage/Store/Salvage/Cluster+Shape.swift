// Safety: every node was found to be within its bounds when it was read (``NodeBounds``); this
// checks that it matches its column.

extension Cluster {
    /// Whether the nodes of a column have the form of its values, so that they can be read. Missing
    /// or unreadable ones read as empty.
    func canRead(_ column: Int, _ schema: ColumnSchema, _ visits: NodeVisits) -> Bool {
        let cell = cell(column)
        guard !cell.isEmpty, schema.chunkShape != .none,
            let chunk = chunk(column, schema.chunkShape), !MissingNode.isPlaceholder(chunk.node)
        else { return true }
        if schema.container == .none {
            return schema.kind != .mixed || Self.isSoundMixed(chunk, count: slotCount)
        }
        return (0..<slotCount).allSatisfy { slot in
            guard isLive(slot), let root = container(column, slot, schema) else { return true }
            if schema.container != .map {
                return Self.elements(root, schema.elementKind, visits) != nil
            }
            if MissingNode.isPlaceholder(root) { return true }
            guard root.kind == .map else { return false }
            return [(0, ValueKind.string), (1, schema.elementKind)].allSatisfy { index, kind in
                let slot = root.slot(MapRoot.slotsOffset, index)
                guard let child = slot.node(.sequence(kind.chunkShape)) else { return true }
                return Self.elements(child, kind, visits) != nil
            }
        }
    }

    private static func isSoundMixed(_ chunk: Chunk, count: Int) -> Bool {
        (0..<count).allSatisfy { index in
            let bytes = chunk.bytes(index)
            return bytes.isEmpty || MixedCodec.isSound(bytes)
        }
    }

    /// The number of elements at and below `node`; nil if they are not of `kind`, or their number
    /// differs from the counts of the branches, or nodes are shared.
    private static func elements(
        _ node: Node, _ kind: ValueKind, _ visits: NodeVisits
    ) -> Int? {
        if MissingNode.isPlaceholder(node) { return 0 }
        guard visits.visit(node.place) else { return nil }
        if node.kind == .chunk {
            let chunk = Chunk(node: node)
            let isSound = kind != .mixed || isSoundMixed(chunk, count: chunk.used)
            return isSound ? chunk.used : nil
        }
        guard node.kind == .sequenceBranch else { return nil }
        let branch = SequenceBranch(node: node)
        var total = 0
        for index in 0..<node.count {
            let child = branch.child(index, kind.chunkShape)
            let isMissing = MissingNode.isPlaceholder(child)
            guard let count = elements(child, kind, visits),
                isMissing || count == branch.elements(index)
            else { return nil }
            total += count
        }
        return total
    }
}
