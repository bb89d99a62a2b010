/// An inner node of a class's tree: up to 16 children with their first keys and live rows.
///
///     offset  size  content
///          0    24  node header; level = height above the clusters, count = children
///         24   128  first key of each child
///        152   128  live rows below each child
///        280   512  slots
@usableFromInline
struct ClusterBranch {
    let node: Node

    static let fanOut = Node.branchFanOut
    static let keysOffset = 24
    static let countsOffset = 152
    static let slotsOffset = 280
    static let size = 792

    static func make(level: Int, account: Unmanaged<NodeAccount>) -> ClusterBranch {
        let node = Node.allocate(.clusterBranch, size: size, account: account)
        node.level = UInt8(level)
        return ClusterBranch(node: node)
    }

    func firstKey(_ index: Int) -> Int64 {
        node.raw.load(fromByteOffset: Self.keysOffset + index &* 8, as: Int64.self)
    }

    func rows(_ index: Int) -> Int {
        node.raw.load(fromByteOffset: Self.countsOffset + index &* 8, as: Int.self)
    }

    func setRows(_ index: Int, _ rows: Int) {
        node.raw.storeBytes(of: rows, toByteOffset: Self.countsOffset + index * 8, as: Int.self)
    }

    func slot(_ index: Int) -> Slot { node.slot(Self.slotsOffset, index) }

    /// The child that could contain `key`: the last that begins at or before it.
    func child(for key: Int64) -> Int? {
        // Keys of rows are not negative, so they compare like their bits.
        let begun = node.keysBelow(UInt64(bitPattern: key) &+ 1, at: Self.keysOffset)
        return begun == 0 || key < 0 ? nil : begun - 1
    }

    func append(_ child: Node?, firstKey: Int64, rows: Int) {
        let index = node.count
        node.raw.storeBytes(
            of: firstKey, toByteOffset: Self.keysOffset + index * 8, as: Int64.self)
        setRows(index, rows)
        slot(index).put(child)
        node.count = index + 1
    }

    /// Appends the child that `other` refers to.
    func append(sharing other: Slot, firstKey: Int64, rows: Int) {
        let index = node.count
        append(nil, firstKey: firstKey, rows: rows)
        slot(index).share(other)
    }

    /// Releases child `index`.
    func remove(_ index: Int) {
        slot(index).replace(with: nil)
        let count = node.count
        for offset in [Self.keysOffset, Self.countsOffset] {
            node.closeGap(offset, stride: 8, at: index, count: count)
        }
        node.closeGap(Self.slotsOffset, stride: Slot.size, at: index, count: count)
        slot(count - 1).put(nil)
        node.count = count - 1
    }

    var rowCount: Int {
        (0..<node.count).reduce(0) { $0 + rows($1) }
    }
}
