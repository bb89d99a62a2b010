/// Elements that stand in no row: in memory, in the form in which those of a list are read.
package struct LooseElements: Sendable {
    /// The elements.
    // Safe to share: nobody changes the nodes once they are made, and the keeper holds them.
    package nonisolated(unsafe) let list: SequenceView
    /// The entries; empty for a list.
    // Safe to share, as above.
    package nonisolated(unsafe) let map: MapView
    private let keeper: NodeKeeper

    /// The elements of a list.
    package init(_ elements: [StoredValue], account: NodeAccount) {
        let holder = MapRoot.make(.passUnretained(account))
        holder.fill(1, elements, .mixed)
        self.init(holder, isMap: false)
    }

    /// The entries of a map, whose keys ascend.
    package init(_ entries: [NestedEntry], account: NodeAccount) {
        let holder = MapRoot.make(.passUnretained(account))
        holder.fill(0, entries.map { .string($0.key) }, .string)
        holder.fill(1, entries.map(\.value), .mixed)
        self.init(holder, isMap: true)
    }

    private init(_ holder: Node, isMap: Bool) {
        keeper = NodeKeeper(owning: holder)
        list = isMap ? .empty(.mixed) : MapView(root: holder, kind: .mixed).values
        map = isMap ? MapView(root: holder, kind: .mixed) : .empty(.mixed)
    }
}

extension Node {
    /// Appends elements to one of the two sequences of a map's node.
    fileprivate func fill(_ number: Int, _ elements: [StoredValue], _ kind: ValueKind) {
        let writer = SequenceWriter(
            slot: slot(MapRoot.slotsOffset, number), kind: kind, account: account)
        for (index, element) in elements.enumerated() { writer.insert(element, at: index) }
    }
}
