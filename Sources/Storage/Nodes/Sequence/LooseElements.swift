/// Elements that are not in a row: they are in memory, with the same layout as those of a list.
package struct LooseElements: Sendable {
    private let elements: SharedNodes<SequenceView>
    private let entries: SharedNodes<MapView>
    private let keeper: NodeKeeper

    /// The elements.
    package var list: SequenceView { elements.reader }
    /// The entries; empty for a list.
    package var map: MapView { entries.reader }

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
        let all = MapView(root: holder, kind: .mixed)
        elements = SharedNodes(isMap ? .empty(.mixed) : all.values)
        entries = SharedNodes(isMap ? all : .empty(.mixed))
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
