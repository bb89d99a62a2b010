/// An inner node of a list: up to 16 children with their element counts.
///
///     offset  size  content
///          0    24  node header; level = height above the leaves, count = children
///         24   128  elements below each child
///        152   512  slots
struct SequenceBranch {
    let node: Node

    static let fanOut = Node.branchFanOut
    static let countsOffset = 24
    static let slotsOffset = 152
    static let size = 664

    static func make(level: Int, account: Unmanaged<NodeAccount>) -> SequenceBranch {
        let node = Node.allocate(.sequenceBranch, size: size, account: account)
        node.level = UInt8(level)
        return SequenceBranch(node: node)
    }

    func elements(_ index: Int) -> Int {
        node.raw.load(fromByteOffset: 24 + index &* 8, as: Int.self)
    }

    func setElements(_ index: Int, _ count: Int) {
        node.raw.storeBytes(of: count, toByteOffset: 24 + index * 8, as: Int.self)
    }

    func slot(_ index: Int) -> Slot { node.slot(Self.slotsOffset, index) }

    var elementCount: Int { (0..<node.count).reduce(0) { $0 + elements($1) } }

    func insert(_ child: Node, at index: Int) {
        let count = node.count
        node.openGap(24, stride: 8, at: index, count: count)
        node.openGap(Self.slotsOffset, stride: Slot.size, at: index, count: count)
        slot(index).put(child)
        node.count = count + 1
        setElements(index, SequenceView.count(child))
    }

    func remove(_ index: Int) {
        slot(index).replace(with: nil)
        let count = node.count
        node.closeGap(24, stride: 8, at: index, count: count)
        node.closeGap(Self.slotsOffset, stride: Slot.size, at: index, count: count)
        slot(count - 1).put(nil)
        node.count = count - 1
    }

    /// Moves the children from `index` on to a new branch.
    func split(at index: Int, _ shape: ChunkShape) -> SequenceBranch {
        let other = SequenceBranch.make(level: Int(node.level), account: node.account)
        for from in index..<node.count {
            let child = slot(from).take(demand(from, shape))
            other.insert(child.unsafelyUnwrapped, at: from - index)
        }
        node.count = index
        return other
    }

    /// The child that holds element `index`, and the element's index within it. An index at the
    /// end belongs to the last child.
    func child(for index: Int) -> (child: Int, rest: Int) {
        var rest = index
        let last = node.count - 1
        for child in 0..<last {
            let count = elements(child)
            if rest < count { return (child, rest) }
            rest -= count
        }
        return (last, rest)
    }
}
