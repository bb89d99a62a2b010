// Safety: every node was found to keep within its bytes when it was read (``NodeBounds``); what is
// checked here is that it holds what its column calls for.

extension Cluster {
    /// Whether the nodes of a column have the form of its values, so that they can be read. Those
    /// that are not there, or cannot be read, read as nothing.
    func canRead(_ column: Int, _ schema: ColumnSchema, _ visits: NodeVisits) -> Bool {
        let cell = cell(column)
        guard !cell.isEmpty, schema.chunkShape != .none,
            let chunk = chunk(column, schema.chunkShape), !MissingNode.standsIn(chunk.node)
        else { return true }
        if schema.container == .none {
            return schema.kind != .mixed || Self.isSoundMixed(chunk, count: slotCount)
        }
        return (0..<slotCount).allSatisfy { slot in
            guard isLive(slot), let root = container(column, slot, schema) else { return true }
            if schema.container != .map {
                return Self.elements(root, schema.elementKind, visits) != nil
            }
            if MissingNode.standsIn(root) { return true }
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

    /// How many elements there are at and below `node`; nil when they are not of `kind`, or
    /// another number than the branches say, or shared with others.
    private static func elements(
        _ node: Node, _ kind: ValueKind, _ visits: NodeVisits
    ) -> Int? {
        if MissingNode.standsIn(node) { return 0 }
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
            let isMissing = MissingNode.standsIn(child)
            guard let count = elements(child, kind, visits),
                isMissing || count == branch.elements(index)
            else { return nil }
            total += count
        }
        return total
    }
}
