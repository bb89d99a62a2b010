// Safety: every node was found to keep within its bytes when it was read (``NodeBounds``); what is
// checked here is that it holds what its column calls for.

extension Cluster {
    /// Whether the nodes of a column have the form of its values, so that they can be read. Those
    /// that are not there, or cannot be read, read as nothing.
    func canRead(_ column: Int, _ schema: ColumnSchema) -> Bool {
        let cell = cell(column)
        guard !cell.isEmpty, let node = cell.node, !MissingNode.standsIn(node),
            let shape = schema.chunkShape
        else { return true }
        guard node.kind == .chunk, Self.fits(Chunk(node: node), shape, count: slotCount) else {
            return false
        }
        let chunk = Chunk(node: node)
        if schema.container == .none {
            return schema.kind != .mixed || Self.isSoundMixed(chunk, count: slotCount)
        }
        return (0..<slotCount).allSatisfy { slot in
            guard isLive(slot), let root = chunk.slot(slot).node else { return true }
            if schema.container != .map { return Self.elements(root, schema.elementKind) != nil }
            if MissingNode.standsIn(root) { return true }
            guard root.kind == .map else { return false }
            return [(0, ValueKind.string), (1, schema.elementKind)].allSatisfy { index, kind in
                guard let child = root.slot(MapRoot.slotsOffset, index).node else { return true }
                return Self.elements(child, kind) != nil
            }
        }
    }

    private static func fits(
        _ chunk: Chunk, _ shape: (form: Chunk.Form, widths: Set<Int>), count: Int
    ) -> Bool {
        chunk.soundForm == shape.form && shape.widths.contains(chunk.width) && chunk.used >= count
    }

    private static func isSoundMixed(_ chunk: Chunk, count: Int) -> Bool {
        (0..<count).allSatisfy { index in
            let bytes = chunk.bytes(index)
            return bytes.isEmpty || MixedCodec.isSound(bytes)
        }
    }

    /// How many elements there are at and below `node`; nil when they are not of `kind`, or
    /// another number than the branches say.
    private static func elements(_ node: Node, _ kind: ValueKind) -> Int? {
        if MissingNode.standsIn(node) { return 0 }
        if node.kind == .chunk {
            let chunk = Chunk(node: node)
            guard fits(chunk, kind.chunkShape, count: 0),
                kind != .mixed || isSoundMixed(chunk, count: chunk.used)
            else { return nil }
            return chunk.used
        }
        guard node.kind == .sequenceBranch else { return nil }
        let branch = SequenceBranch(node: node)
        var total = 0
        for index in 0..<node.count {
            guard let child = branch.slot(index).node else { return nil }
            let isMissing = MissingNode.standsIn(child)
            guard let count = elements(child, kind), isMissing || count == branch.elements(index)
            else { return nil }
            total += count
        }
        return total
    }
}
