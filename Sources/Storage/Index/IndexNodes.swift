/// One entry of an index: the key of a value and the row that has it.
struct IndexEntry: Equatable {
    var key: UInt64
    var row: Int64
}

/// A leaf of an index: up to 128 entries, keys and rows apart.
///
///     offset  size  content
///          0    24  node header; count = entries
///         24  1024  keys
///       1048  1024  rows
struct IndexLeaf {
    let node: Node

    static let entriesMax = 128
    static let keysOffset = 24
    static let rowsOffset = 1048
    static let size = 2072

    static func make(_ account: Unmanaged<NodeAccount>) -> IndexLeaf {
        IndexLeaf(node: Node.allocate(.indexLeaf, size: size, account: account, zeroed: false))
    }

    /// Whether a leaf of `length` bytes that comes from a file keeps within them.
    static func holds(_ node: Node, length: Int) -> Bool {
        length >= size && (1...entriesMax).contains(node.count)
    }

    func key(_ index: Int) -> UInt64 {
        node.raw.load(fromByteOffset: Self.keysOffset + index &* 8, as: UInt64.self)
    }

    func row(_ index: Int) -> Int64 {
        node.raw.load(fromByteOffset: Self.rowsOffset + index &* 8, as: Int64.self)
    }

    func entry(_ index: Int) -> IndexEntry { IndexEntry(key: key(index), row: row(index)) }

    func set(_ index: Int, _ entry: IndexEntry) {
        node.raw.storeBytes(
            of: entry.key, toByteOffset: Self.keysOffset + index * 8, as: UInt64.self)
        node.raw.storeBytes(
            of: entry.row, toByteOffset: Self.rowsOffset + index * 8, as: Int64.self)
    }

    func insert(_ entry: IndexEntry, at index: Int) {
        let count = node.count
        for offset in [Self.keysOffset, Self.rowsOffset] {
            node.openGap(offset, stride: 8, at: index, count: count)
        }
        set(index, entry)
        node.count = count + 1
    }

    func remove(at index: Int) {
        let count = node.count
        for offset in [Self.keysOffset, Self.rowsOffset] {
            node.closeGap(offset, stride: 8, at: index, count: count)
        }
        node.count = count - 1
    }

    /// Moves the entries from `index` on to a new leaf.
    func split(at index: Int) -> IndexLeaf {
        let other = IndexLeaf.make(node.account)
        let moved = node.count - index
        for offset in [Self.keysOffset, Self.rowsOffset] {
            (other.node.raw + offset).copyMemory(
                from: node.raw + offset + index * 8, byteCount: moved * 8)
        }
        other.node.count = moved
        node.count = index
        return other
    }
}

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

    static let fanOut = 16
    static let slotsOffset = 408
    static let size = 920

    static func make(level: Int, account: Unmanaged<NodeAccount>) -> IndexBranch {
        let node = Node.allocate(.indexBranch, size: size, account: account)
        node.level = UInt8(level)
        return IndexBranch(node: node)
    }

    func key(_ index: Int) -> UInt64 {
        node.raw.load(fromByteOffset: 24 + index &* 8, as: UInt64.self)
    }

    func row(_ index: Int) -> Int64 {
        node.raw.load(fromByteOffset: 152 + index &* 8, as: Int64.self)
    }

    func entries(_ index: Int) -> Int {
        node.raw.load(fromByteOffset: 280 + index &* 8, as: Int.self)
    }

    func slot(_ index: Int) -> Slot { node.slot(Self.slotsOffset, index) }

    var entryCount: Int { (0..<node.count).reduce(0) { $0 + entries($1) } }

    /// Puts `child` at `index`, moving those from there on.
    func insert(_ child: Node, at index: Int) {
        let count = node.count
        for offset in [24, 152, 280] {
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
        for offset in [24, 152, 280] {
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
            other.insert(slot(from).take().unsafelyUnwrapped, at: from - index)
        }
        node.count = index
        return other
    }

    /// Reads first entry and count of child `index` anew.
    func refresh(_ index: Int) {
        let child = slot(index).node.unsafelyUnwrapped
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
        node.raw.storeBytes(of: first.key, toByteOffset: 24 + index * 8, as: UInt64.self)
        node.raw.storeBytes(of: first.row, toByteOffset: 152 + index * 8, as: Int64.self)
        node.raw.storeBytes(of: entries, toByteOffset: 280 + index * 8, as: Int.self)
    }
}
