/// A leaf of an index: up to 256 entries in order, keys and rows apart, each as narrow as they fit.
///
///     offset  size  content
///          0    24  node header; count = entries, level = bytes per key, flags = bytes per row
///         24     8  base that keys add to their stored offset
///         32     8  base that rows add to their stored offset
///         40     4  capacity in entries
///         44     4  reserved
///         48     -  offsets of the keys: capacity times 0, 1, 2, 4 or 8 bytes
///          -     -  offsets of the rows: capacity times 0, 1, 2, 4 or 8 bytes
///
/// At a width of eight bytes, the base is zero. Leaves that are built at once are exact; edited
/// ones keep spare capacity, and become wider when an entry requires it.
struct IndexLeaf {
    let node: Node

    static let entriesMax = 256
    static let rowBaseOffset = 32
    static let dataOffset = 48

    // MARK: Layout

    @inline(__always) var count: Int { node.count }
    @inline(__always) var keyWidth: Int { Int(node.level) }
    @inline(__always) var rowWidth: Int {
        Int(node.raw.load(fromByteOffset: 12, as: UInt32.self))
    }

    @inline(__always) var keyBase: UInt64 {
        node.raw.load(fromByteOffset: 24, as: UInt64.self)
    }

    @inline(__always) var rowBase: Int64 {
        node.raw.load(fromByteOffset: Self.rowBaseOffset, as: Int64.self)
    }

    @inline(__always) var capacity: Int {
        Int(node.raw.load(fromByteOffset: 40, as: UInt32.self))
    }

    // Unsafe: both arrays are within the node, which was allocated with room for `capacity` of
    // each.
    @inline(__always) private var keys: UnsafeMutableRawPointer { node.raw + Self.dataOffset }
    @inline(__always) private var rows: UnsafeMutableRawPointer {
        keys + capacity &* keyWidth
    }

    /// Whether a leaf of `length` bytes that was read from a file is within its bounds.
    static func holds(_ node: Node, length: Int) -> Bool {
        guard length >= dataOffset else { return false }
        let leaf = IndexLeaf(node: node)
        let widths = [0, 1, 2, 4, 8]
        return (1...entriesMax).contains(leaf.count) && leaf.count <= leaf.capacity
            && widths.contains(leaf.keyWidth) && widths.contains(leaf.rowWidth)
            && leaf.capacity <= entriesMax
            && dataOffset + leaf.capacity * (leaf.keyWidth + leaf.rowWidth) <= length
    }

    // MARK: Reading

    @inline(__always)
    func key(_ index: Int) -> UInt64 { keyBase &+ PackedIntegers.load(keys, keyWidth, index) }

    @inline(__always)
    func row(_ index: Int) -> Int64 {
        rowBase &+ Int64(bitPattern: PackedIntegers.load(rows, rowWidth, index))
    }

    @inline(__always)
    func entry(_ index: Int) -> IndexEntry { IndexEntry(key: key(index), row: row(index)) }

    // Unsafe: only as many are written as `range` has, for which the caller has room.
    /// Writes the rows of the entries in `range`, which are there, to the beginning of `target`.
    func copyRows(_ range: Range<Int>, to target: UnsafeMutableBufferPointer<Int64>) {
        PackedIntegers.copy(
            rows, rowWidth, range, adding: UInt64(bitPattern: rowBase),
            to: UnsafeMutableRawBufferPointer(target))
    }

    /// The first index whose key is at least `key`. The rows of grouped keys are prefetched.
    func lowerBound(_ key: UInt64, _ spread: KeySpread) -> Int {
        let count = count
        guard count > 0 else { return 0 }
        guard spread.isSmooth else {
            let base = keyBase
            if key <= base { return 0 }
            return PackedIntegers.lowerBound(keys, keyWidth, count, key &- base) {
                prefetchRows($0.lowerBound, min($0.upperBound, count &- 1))
            }
        }
        let (first, last) = (self.key(0), self.key(count &- 1))
        return lowerBound(key, near: spread.place(of: key, from: first, to: last, count))
    }

    /// The same, searching around `guess` first.
    @inline(__always)
    func lowerBound(_ key: UInt64, near guess: Int) -> Int {
        let base = keyBase
        if key <= base { return 0 }
        return PackedIntegers.lowerBound(keys, keyWidth, count, key &- base, near: guess)
    }

    /// Prefetches the rows around `index`, which is below the count.
    @inline(__always)
    func prefetchRows(around index: Int) {
        let nearby = PackedIntegers.nearby / 4
        prefetchRows(max(index &- nearby, 0), min(index &+ nearby, count &- 1))
    }

    /// Prefetches the rows at two indexes, which are below the count, and with them those between
    /// if they are close to each other.
    @inline(__always)
    private func prefetchRows(_ first: Int, _ last: Int) {
        let (start, width) = (rows - node.raw, rowWidth)
        // Rows without bytes begin where the node may end.
        if width == 0 { return }
        node.prefetch(start &+ first &* width)
        node.prefetch(start &+ last &* width)
    }

    // MARK: Making

    /// How the entries of a leaf are stored.
    struct Shape {
        var keyBase: UInt64
        var keyWidth: Int
        var rowBase: Int64
        var rowWidth: Int

        /// The narrowest form for such entries. With `roomBelow`, lower keys fit as well, so that
        /// descending keys do not require another base each time.
        init(
            lowKey: UInt64, highKey: UInt64, lowRow: Int64, highRow: Int64, roomBelow: Bool = false
        ) {
            keyWidth = PackedIntegers.width(for: highKey &- lowKey)
            keyBase = keyWidth == 8 ? 0 : lowKey
            if roomBelow, keyWidth < 8 {
                let limit = PackedIntegers.limit(keyWidth)
                keyBase = highKey > limit ? highKey - limit : 0
            }
            rowWidth = PackedIntegers.width(for: UInt64(bitPattern: highRow &- lowRow))
            rowBase = rowWidth == 8 ? 0 : lowRow
        }

        init(_ leaf: IndexLeaf) {
            keyBase = leaf.keyBase
            keyWidth = leaf.keyWidth
            rowBase = leaf.rowBase
            rowWidth = leaf.rowWidth
        }

        /// Whether `entry` can be stored so.
        @inline(__always)
        func fits(_ entry: IndexEntry) -> Bool {
            let isRowBelow = rowWidth < 8 && entry.row < rowBase
            return entry.key >= keyBase && !isRowBelow
                && entry.key &- keyBase <= PackedIntegers.limit(keyWidth)
                && UInt64(bitPattern: entry.row &- rowBase) <= PackedIntegers.limit(rowWidth)
        }
    }

    static func make(
        _ shape: Shape, capacity: Int, _ account: Unmanaged<NodeAccount>
    ) -> IndexLeaf {
        let size = dataOffset + capacity * (shape.keyWidth + shape.rowWidth)
        let node = Node.allocate(
            .indexLeaf, size: (size + 7) & ~7, account: account, zeroed: false)
        node.level = UInt8(shape.keyWidth)
        node.flags = UInt32(shape.rowWidth)
        node.raw.storeBytes(of: shape.keyBase, toByteOffset: 24, as: UInt64.self)
        node.raw.storeBytes(of: shape.rowBase, toByteOffset: 32, as: Int64.self)
        node.raw.storeBytes(of: UInt32(capacity), toByteOffset: 40, as: UInt32.self)
        node.raw.storeBytes(of: 0, toByteOffset: 44, as: UInt32.self)
        // Unused elements are zeroed, since nodes are written to disk as they are.
        let used = dataOffset + capacity * (shape.keyWidth + shape.rowWidth)
        (node.raw + used).initializeMemory(as: UInt8.self, repeating: 0, count: node.size - used)
        return IndexLeaf(node: node)
    }

    /// A leaf of exactly `entries`, which are in order and at least one.
    static func make(
        exactly entries: ArraySlice<IndexEntry>, _ account: Unmanaged<NodeAccount>
    ) -> IndexLeaf {
        make(entries, capacity: entries.count, account)
    }

    private static func make(
        _ entries: ArraySlice<IndexEntry>, capacity: Int, roomBelow: Bool = false,
        _ account: Unmanaged<NodeAccount>
    ) -> IndexLeaf {
        var low = Int64.max
        var high = Int64.min
        for entry in entries {
            low = min(low, entry.row)
            high = max(high, entry.row)
        }
        let shape = Shape(
            lowKey: entries[entries.startIndex].key, highKey: entries[entries.endIndex - 1].key,
            lowRow: low, highRow: high, roomBelow: roomBelow)
        let leaf = make(shape, capacity: capacity, account)
        for (index, entry) in entries.enumerated() { leaf.store(index, entry) }
        leaf.clear(from: entries.count)
        leaf.node.count = entries.count
        return leaf
    }

    /// The capacity of an edited leaf of `count` entries.
    private static func roomy(_ count: Int) -> Int {
        min(entriesMax, (count + count / 8 + 8) & ~7)
    }

    /// A leaf of one entry, to be added to.
    static func make(first entry: IndexEntry, _ account: Unmanaged<NodeAccount>) -> IndexLeaf {
        make([entry], capacity: roomy(1), account)
    }

    /// A leaf of the entries in `range` and, when given, of a new one before entry `index`.
    func copy(
        _ range: Range<Int>, inserting new: IndexEntry? = nil, at index: Int = 0
    ) -> IndexLeaf {
        let total = range.count + (new == nil ? 0 : 1)
        if range.count == count, let new, Shape(self).fits(new) {
            // All of them in the stored form already: two moves instead of a loop.
            let copy = IndexLeaf.make(
                Shape(self), capacity: IndexLeaf.roomy(total), node.account)
            copy.keys.copyMemory(from: keys, byteCount: count * keyWidth)
            copy.rows.copyMemory(from: rows, byteCount: count * rowWidth)
            copy.node.count = count
            copy.clear(from: count)
            copy.insert(new, at: index)
            return copy
        }
        var entries: [IndexEntry] = []
        entries.reserveCapacity(total)
        for old in range {
            if old == index, let new { entries.append(new) }
            entries.append(entry(old))
        }
        if let new, index == range.upperBound { entries.append(new) }
        return IndexLeaf.make(
            entries[...], capacity: IndexLeaf.roomy(total), roomBelow: new != nil && index == 0,
            node.account)
    }

    /// A copy without spare capacity, and with the bases of its entries: the base of an edited leaf
    /// may be the key of a removed entry. Nil if it would be equal.
    func exactCopy() -> IndexLeaf? {
        let isExact = capacity == count && (keyWidth == 8 || keyBase == key(0))
        if isExact || count == 0 { return nil }
        return IndexLeaf.make(exactly: (0..<count).map { entry($0) }[...], node.account)
    }

    // MARK: Editing. The leaf must be uniquely owned.

    /// Whether `entry` can be inserted in place.
    func hasRoom(for entry: IndexEntry) -> Bool { count < capacity && Shape(self).fits(entry) }

    /// Inserts an entry for which there is room.
    func insert(_ entry: IndexEntry, at index: Int) {
        let count = count
        node.openGap(Self.dataOffset, stride: keyWidth, at: index, count: count)
        node.openGap(rows - node.raw, stride: rowWidth, at: index, count: count)
        store(index, entry)
        node.count = count + 1
    }

    func remove(at index: Int) {
        let count = count
        node.closeGap(Self.dataOffset, stride: keyWidth, at: index, count: count)
        node.closeGap(rows - node.raw, stride: rowWidth, at: index, count: count)
        node.count = count - 1
        clear(from: count - 1)
    }

    /// Writes an entry that fits the shape of the leaf.
    func store(_ index: Int, _ entry: IndexEntry) {
        PackedIntegers.store(keys, keyWidth, index, entry.key &- keyBase)
        PackedIntegers.store(
            rows, rowWidth, index, UInt64(bitPattern: entry.row &- rowBase))
    }

    /// Zeroes the places from `index` on, which are unused.
    private func clear(from index: Int) {
        let rest = capacity - index
        (keys + index * keyWidth)
            .initializeMemory(as: UInt8.self, repeating: 0, count: rest * keyWidth)
        (rows + index * rowWidth)
            .initializeMemory(as: UInt8.self, repeating: 0, count: rest * rowWidth)
    }
}
