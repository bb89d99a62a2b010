/// Lists, sets and maps.
extension StoreVerifier {
    /// Checks the container that `slot` refers to.
    func checkContainer(
        _ slot: Slot, _ schema: ColumnSchema, _ place: StoreProblem.Place
    ) throws(CancellationError) {
        guard !slot.isEmpty else { return }
        guard schema.container == .map else {
            guard let count = walkSequence(slot, schema.elementKind, place) else { return }
            tally.counts.elements += count
            try tally.advance(0)
            let view = SequenceView(
                root: slot.node(schema.containerDemand), kind: schema.elementKind)
            if schema.container == .set { checkOrder(view, place) }
            if schema.kind == .link { checkNoNulls(view, place) }
            return
        }
        guard let map = child(slot, .map, [.map], place) else { return }
        let keys = map.slot(MapRoot.slotsOffset, 0)
        let values = map.slot(MapRoot.slotsOffset, 1)
        guard let keyCount = walkSequence(keys, .string, place),
            let valueCount = walkSequence(values, schema.elementKind, place)
        else { return }
        tally.counts.elements += keyCount
        try tally.advance(0)
        if keyCount != valueCount {
            damaged(place, "a map has \(keyCount) keys and \(valueCount) values")
        }
        checkOrder(MapView(root: map, kind: schema.elementKind).keys, place)
    }

    /// Whether elements ascend strictly.
    private func checkOrder(_ view: SequenceView, _ place: StoreProblem.Place) {
        var last: StoredValue?
        var isAscending = true
        view.forEach { value in
            if let last, !(last < value) { isAscending = false }
            last = value
        }
        if !isAscending { tally.note(.order, place, "elements are out of order") }
    }

    private func checkNoNulls(_ view: SequenceView, _ place: StoreProblem.Place) {
        var hasNull = false
        view.forEachLink { if $0.rawValue == Chunk.nullLink { hasNull = true } }
        if hasNull { tally.note(.value, place, "an element of a list or set of links is null") }
    }

    /// Walks a tree of elements; returns the number of elements, nil if it cannot be followed.
    private func walkSequence(
        _ slot: Slot, _ kind: ValueKind, _ place: StoreProblem.Place
    ) -> Int? {
        if slot.isEmpty { return 0 }
        let demand = NodeDemand.sequence(kind.chunkShape)
        guard let node = child(slot, demand, [.chunk, .sequenceBranch], place) else { return nil }
        return walkSequence(node, level: node.kind == .chunk ? 0 : Int(node.level), kind, place)
    }

    private func walkSequence(
        _ node: Node, level: Int, _ kind: ValueKind, _ place: StoreProblem.Place
    ) -> Int? {
        if level == 0 {
            let leaf = Chunk(node: node)
            return checkLeaf(leaf, kind, place) ? leaf.used : nil
        }
        guard Int(node.level) == level else {
            damaged(place, "a branch has height \(node.level), expected \(level)")
            return nil
        }
        let branch = SequenceBranch(node: node)
        var total = 0
        for index in 0..<node.count {
            let slot = branch.slot(index)
            let kinds: Set<NodeKind> = level > 1 ? [.sequenceBranch] : [.chunk]
            let demand = branch.demand(index, kind.chunkShape)
            guard let below = child(slot, demand, kinds, place) else {
                if slot.isEmpty { damaged(place, "a branch of a list lacks a child") }
                return nil
            }
            guard let count = walkSequence(below, level: level - 1, kind, place) else {
                return nil
            }
            guard count == branch.elements(index), count > 0 else {
                damaged(
                    place, "a branch records \(branch.elements(index)) elements and has \(count)")
                return nil
            }
            total += count
        }
        return total
    }
}
