public import Synchronization

/// A leaf of a class's tree: up to 256 rows, stored column by column.
///
///     offset  size  content
///          0    24  node header
///         24     8  key of the first slot
///         32     2  slots in use
///         34     2  live rows
///         36     2  columns
///         40    32  one live bit per slot
///         72    32  slot of the key offsets of a sparse cluster (empty: key = first key + slot)
///        104    24  reserved
///        128    64  per column: slot of its chunk (32), bits (32)
///
/// The bits of a boolean column are its values, those of a nullable column mark null rows. A column
/// without a chunk is zero; a column beyond `columnCount` was added later and reads as zero or null
/// too. Keys ascend, so a cluster never splits.
@frozen @usableFromInline
package struct Cluster: Equatable {
    @usableFromInline let node: Node

    @inlinable
    init(node: Node) { self.node = node }

    package static let slotsMax = 256
    static let firstKeyOffset = 24
    @inlinable static var liveOffset: Int { 40 }
    static let offsetsOffset = 72
    @inlinable static var cellsOffset: Int { 128 }
    @inlinable static var cellSize: Int { 64 }
    @inlinable static var bitsOffset: Int { 32 }

    static func make(
        firstKey: Int64, schema: ClassSchema, account: Unmanaged<NodeAccount>
    ) -> Cluster {
        let columns = schema.columns.count
        let node = Node.allocate(
            .cluster, size: cellsOffset + columns * cellSize, account: account)
        node.raw.storeBytes(of: firstKey, toByteOffset: 24, as: Int64.self)
        node.raw.storeBytes(of: UInt16(columns), toByteOffset: 36, as: UInt16.self)
        let cluster = Cluster(node: node)
        for (column, schema) in schema.columns.enumerated() where schema.hasNullBits {
            (node.raw + cellsOffset + column * cellSize + bitsOffset)
                .initializeMemory(as: UInt8.self, repeating: 0xFF, count: 32)
        }
        return cluster
    }

    // MARK: Rows

    @inlinable package var firstKey: Int64 { node.raw.load(fromByteOffset: 24, as: Int64.self) }

    @inlinable package var slotCount: Int {
        get { Int(node.raw.load(fromByteOffset: 32, as: UInt16.self)) }
        nonmutating set {
            node.raw.storeBytes(of: UInt16(newValue), toByteOffset: 32, as: UInt16.self)
        }
    }

    @inlinable package var liveCount: Int {
        get { Int(node.raw.load(fromByteOffset: 34, as: UInt16.self)) }
        nonmutating set {
            node.raw.storeBytes(of: UInt16(newValue), toByteOffset: 34, as: UInt16.self)
        }
    }

    @inlinable var columnCount: Int { Int(node.raw.load(fromByteOffset: 36, as: UInt16.self)) }

    /// 64 of the live bits.
    @inlinable
    package func liveWord(_ index: Int) -> UInt64 {
        node.raw.load(fromByteOffset: Cluster.liveOffset + index &* 8, as: UInt64.self)
    }

    @inlinable
    package func isLive(_ slot: Int) -> Bool {
        (liveWord(slot &>> 6) &>> UInt64(slot & 63)) & 1 != 0
    }

    func setLive(_ slot: Int, _ isLive: Bool) {
        let offset = Cluster.liveOffset + (slot >> 6) * 8
        let bit: UInt64 = 1 << UInt64(slot & 63)
        let word = node.raw.load(fromByteOffset: offset, as: UInt64.self)
        node.raw.storeBytes(
            of: isLive ? word | bit : word & ~bit, toByteOffset: offset, as: UInt64.self)
    }

    /// The slot of the key offsets of a sparse cluster: ascending 32-bit numbers, relative to the
    /// first key.
    var offsetsSlot: Slot { Slot(raw: node.raw + Cluster.offsetsOffset) }

    @usableFromInline var offsets: Chunk? {
        offsetsSlot.node(.offsets(slotCount)).map { Chunk(node: $0) }
    }

    @inlinable
    package func key(_ slot: Int) -> RowKey {
        guard let offsets else { return RowKey(firstKey &+ Int64(slot)) }
        return RowKey(firstKey &+ offsets.int(slot))
    }

    /// The slot of `key` if its row is live in this cluster.
    @inlinable
    package func slot(of key: RowKey) -> Int? {
        let offset = key.rawValue &- firstKey
        guard offset >= 0 else { return nil }
        guard let offsets else {
            let slot = Int(offset)
            return slot < slotCount && isLive(slot) ? slot : nil
        }
        let slot = (0..<slotCount).partitioningIndex { offsets.int($0) >= offset }
        return slot < slotCount && offsets.int(slot) == offset && isLive(slot) ? slot : nil
    }

    /// The first slot whose key is `key` or a later one; ``slotCount`` when there is none.
    func firstSlot(from key: RowKey) -> Int {
        if key.rawValue <= firstKey { return 0 }
        let (offset, isFar) = key.rawValue.subtractingReportingOverflow(firstKey)
        guard !isFar, let offsets else { return isFar ? slotCount : min(Int(offset), slotCount) }
        return (0..<slotCount).partitioningIndex { offsets.int($0) >= offset }
    }

    /// The first slot of a live row from `slot` on; nil when there is none.
    package func firstLiveSlot(from slot: Int) -> Int? {
        guard slot < slotCount else { return nil }
        var index = slot >> 6
        var word = liveWord(index) & (~0 << UInt64(slot & 63))
        while word == 0 {
            index += 1
            if index == 4 { return nil }
            word = liveWord(index)
        }
        return index * 64 + word.trailingZeroBitCount
    }

    /// The slot of the live row at `position`, which must be below ``liveCount``.
    package func slot(at position: Int) -> Int {
        if liveCount == slotCount { return position }
        var rest = position
        for index in 0..<4 {
            var word = liveWord(index)
            let count = word.nonzeroBitCount
            if rest >= count {
                rest -= count
                continue
            }
            for _ in 0..<rest { word &= word - 1 }
            return index * 64 + word.trailingZeroBitCount
        }
        preconditionFailure("Internal inconsistency: position beyond the cluster's live rows")
    }

    /// How many live rows precede `slot`.
    package func position(of slot: Int) -> Int {
        var position = 0
        for index in 0..<(slot >> 6) { position += liveWord(index).nonzeroBitCount }
        let rest = slot & 63
        if rest > 0 {
            position += (liveWord(slot >> 6) & ((1 << UInt64(rest)) - 1)).nonzeroBitCount
        }
        return position
    }

    // MARK: Columns

    @inlinable
    func cell(_ column: Int) -> Slot {
        Slot(raw: node.raw + Cluster.cellsOffset + column &* Cluster.cellSize)
    }

    /// The values of a column, nil if all are zero. `shape` is that of the schema.
    @inlinable
    func chunk(_ column: Int, _ shape: ChunkShape) -> Chunk? {
        guard column < columnCount else { return nil }
        let word = cell(column).word.pointee.load(ordering: .acquiring)
        if word & 1 != 0 { return load(column, shape) }
        // Unsafe: the word of a cell that is attached is its node's address.
        return UnsafeMutableRawPointer(bitPattern: word).map { Chunk(node: Node(raw: $0)) }
    }

    @usableFromInline
    func load(_ column: Int, _ shape: ChunkShape) -> Chunk? {
        cell(column).load(.chunk(shape, count: slotCount)).map { Chunk(node: $0) }
    }

    /// 64 bits of a column: its values when it is boolean, its nulls when it is nullable.
    @inlinable
    func bitsWord(_ column: Int, _ index: Int) -> UInt64 {
        cell(column).raw.load(fromByteOffset: Cluster.bitsOffset + index &* 8, as: UInt64.self)
    }

    @inlinable
    func bit(_ column: Int, _ slot: Int) -> Bool {
        (bitsWord(column, slot &>> 6) &>> UInt64(slot & 63)) & 1 != 0
    }

    func setBit(_ column: Int, _ slot: Int, _ value: Bool) {
        let raw = cell(column).raw + Cluster.bitsOffset + (slot >> 6) * 8
        let bit: UInt64 = 1 << UInt64(slot & 63)
        let word = raw.load(as: UInt64.self)
        raw.storeBytes(of: value ? word | bit : word & ~bit, as: UInt64.self)
    }

    /// The number of prefetched columns of a row: about as many loads as a core can have in flight.
    private static let prefetchedColumns = 8

    /// Prefetches the values of a row, for a reader that is about to read a few.
    ///
    /// Each is behind three pointers; prefetched together, they take the time of one.
    func prefetch(_ slot: Int) {
        for column in 0..<min(columnCount, Cluster.prefetchedColumns) {
            guard let node = cell(column).resident else { continue }
            let offset = Chunk.dataOffset &+ slot &* Chunk(node: node).width
            if offset < node.size { node.prefetch(offset) }
        }
    }

    func forEachSlot(_ body: (Slot) -> Void) {
        body(offsetsSlot)
        for column in 0..<columnCount { body(cell(column)) }
    }
}

extension ColumnSchema {
    /// Whether the bits of the column's cell mark null rows.
    ///
    /// A nullable boolean needs its bits for that and keeps its values in a chunk of integers.
    var hasNullBits: Bool { container == .none && (isNullable || kind == .link) && kind != .mixed }
}

/// A row found in a tree. Valid while the owner of the tree lives, and for a working tree until its
/// next change.
@frozen @usableFromInline
package struct RowLocation {
    @usableFromInline package let cluster: Cluster
    @usableFromInline package let slot: Int

    @inlinable
    package init(cluster: Cluster, slot: Int) {
        self.cluster = cluster
        self.slot = slot
    }
}
