/// An inner node of an index: up to 16 children, each with its first entry and its entry count.
///
///     offset  size  content
///          0    24  node header; level = height above the leaves, count = children
///         24   128  key of each child's first entry
///        152   128  row of each child's first entry
///        280   128  entries below each child
///        408   512  slots
struct IndexBranch {
    let node: Node

    static let fanOut = Node.branchFanOut
    static let keysOffset = 24
    static let rowsOffset = 152
    static let entriesOffset = 280
    static let slotsOffset = 408
    static let size = 920

    static func make(level: Int, account: Unmanaged<NodeAccount>) -> IndexBranch {
        let node = Node.allocate(.indexBranch, size: size, account: account)
        node.level = UInt8(level)
        return IndexBranch(node: node)
    }

    @inline(__always)
    func key(_ index: Int) -> UInt64 {
        node.raw.load(fromByteOffset: Self.keysOffset + index &* 8, as: UInt64.self)
    }

    @inline(__always)
    func row(_ index: Int) -> Int64 {
        node.raw.load(fromByteOffset: Self.rowsOffset + index &* 8, as: Int64.self)
    }

    @inline(__always)
    func entries(_ index: Int) -> Int {
        node.raw.load(fromByteOffset: Self.entriesOffset + index &* 8, as: Int.self)
    }

    @inline(__always)
    func slot(_ index: Int) -> Slot { node.slot(Self.slotsOffset, index) }

    var entryCount: Int { (0..<node.count).reduce(0) { $0 + entries($1) } }

    /// The last child that begins below `key`, or the first child.
    @inline(__always)
    func child(below key: UInt64) -> Int {
        max(node.keysBelow(key, at: Self.keysOffset), 1) - 1
    }

    static let arrays = [keysOffset, rowsOffset, entriesOffset]

    /// Inserts `child` at `index`, and moves later ones.
    func insert(_ child: Node, at index: Int) {
        let count = node.count
        for offset in Self.arrays {
            node.openGap(offset, stride: 8, at: index, count: count)
        }
        node.openGap(Self.slotsOffset, stride: Slot.size, at: index, count: count)
        slot(index).put(child)
        node.count = count + 1
        refresh(index)
    }

    func remove(_ index: Int) {
        slot(index).replace(with: nil)
        let count = node.count
        for offset in Self.arrays {
            node.closeGap(offset, stride: 8, at: index, count: count)
        }
        node.closeGap(Self.slotsOffset, stride: Slot.size, at: index, count: count)
        slot(count - 1).put(nil)
        node.count = count - 1
    }

    /// Moves the children from `index` on to a new branch.
    func split(at index: Int) -> IndexBranch {
        let other = IndexBranch.make(level: Int(node.level), account: node.account)
        for from in index..<node.count {
            other.insert(slot(from).take(demand(from)).unsafelyUnwrapped, at: from - index)
        }
        node.count = index
        return other
    }

    /// Updates first entry and count of child `index`.
    func refresh(_ index: Int) {
        let child = child(index)
        // An unreadable child has not changed either.
        if MissingNode.isPlaceholder(child) { return }
        let first: IndexEntry
        let entries: Int
        if child.kind == .indexLeaf {
            first = IndexLeaf(node: child).entry(0)
            entries = child.count
        } else {
            let branch = IndexBranch(node: child)
            first = IndexEntry(key: branch.key(0), row: branch.row(0))
            entries = branch.entryCount
        }
        let raw = node.raw + index * 8
        raw.storeBytes(of: first.key, toByteOffset: Self.keysOffset, as: UInt64.self)
        raw.storeBytes(of: first.row, toByteOffset: Self.rowsOffset, as: Int64.self)
        raw.storeBytes(of: entries, toByteOffset: Self.entriesOffset, as: Int.self)
    }
}
